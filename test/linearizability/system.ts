/** A failure, and its repair. */
export type Outage = () => Promise<void>;

/** Running nodes, and the outages that they are to survive, in order. */
export interface System extends AsyncDisposable {
  readonly name: string;
  readonly urls: string[];
  /** The secret of a key. */
  readonly secret: string;
  readonly outages: Outage[];
}
