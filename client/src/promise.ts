/** The result of a call, with its response. */
export interface PetstoreResponse<Data> {
  /** The result. */
  readonly data: Data;
  /** The last response, with its status and headers. Its body is read already. */
  readonly response: Response;
  /** Names the request in the service's log. */
  readonly requestId: string;
}

/** The promise of a call's result. */
export interface PetstorePromise<Data> extends Promise<Data> {
  /**
   * Returns the result with its response: status, headers and request id.
   *
   * @example
   * const { data, response, requestId } = await petstore.listPets().withResponse();
   */
  withResponse(): Promise<PetstoreResponse<Data>>;
}

/** Returns the promise of the result in `whole`. */
export function resultIn<Data>(whole: Promise<PetstoreResponse<Data>>): PetstorePromise<Data> {
  const result = whole.then(({ data }) => data);
  const withResponse = async () => {
    // The promise of this function reports the error instead.
    result.catch(() => {});
    return whole;
  };
  return Object.assign(result, { withResponse });
}
