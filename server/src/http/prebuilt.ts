/** An answer that is JSON already. */
export class Prebuilt {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** The JSON of an output in the place of the output: it is sent as it is. */
export const prebuilt = <Output>(bytes: Uint8Array): Output => new Prebuilt(bytes) as unknown as Output
