/** An answer that is written out already: JSON unless it says otherwise. */
export class Prebuilt {
  readonly bytes: Uint8Array
  readonly type: string | undefined

  constructor(bytes: Uint8Array, type?: string) {
    this.bytes = bytes
    this.type = type
  }
}

/** What an output looks like written out, in its place: it is sent as it is. */
export const prebuilt = <Output>(bytes: Uint8Array, type?: string): Output =>
  new Prebuilt(bytes, type) as unknown as Output
