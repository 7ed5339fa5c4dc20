/** The fields of a protobuf message by number, each with all its values: integers as bigints, others as bytes. */
export type Fields = Map<number, (bigint | Uint8Array)[]>;

/** Parses the wire format independently of the library that wrote it. @throws when it is not protobuf */
export function readMessage(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("it ends within a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error("it ends within a field");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const values = fields.get(tag >> 3) ?? [];
    fields.set(tag >> 3, values);
    if ((tag & 7) === 0) values.push(varint());
    else if ((tag & 7) === 1) values.push(take(8));
    else if ((tag & 7) === 2) values.push(take(Number(varint())));
    else if ((tag & 7) === 5) values.push(take(4));
    else throw new Error(`there is no wire type ${tag & 7}`);
  }
  return fields;
}

export function messagesIn(fields: Fields, number: number): Fields[] {
  return bytesIn(fields, number).map(readMessage);
}

export function bytesIn(fields: Fields, number: number): Uint8Array[] {
  return (fields.get(number) ?? []).filter((value) => value instanceof Uint8Array);
}

export function textIn(fields: Fields, number: number): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytesIn(fields, number)[0] ?? new Uint8Array());
}

export function integerIn(fields: Fields, number: number): bigint {
  const value = fields.get(number)?.[0];
  return typeof value === "bigint" ? value : 0n;
}
