/** An answer that is written out already: JSON unless it says otherwise. */
export class Prebuilt {
  readonly body: string | Uint8Array
  readonly type: string | undefined

  constructor(body: string | Uint8Array, type?: string) {
    this.body = body
    this.type = type
  }
}

/** What an output looks like written out, in its place: it is sent as it is. */
export const prebuilt = <Output>(body: string | Uint8Array, type?: string): Output =>
  new Prebuilt(body, type) as unknown as Output
