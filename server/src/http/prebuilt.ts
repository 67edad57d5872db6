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

/** An answer for a browser: a page, or the way to another. Its handler says everything about it. */
export class Page {
  readonly status: number
  readonly html: string
  /** Names and values, flat. */
  readonly headers: readonly string[]

  constructor(status: number, html: string, headers: readonly string[] = []) {
    this.status = status
    this.html = html
    this.headers = headers
  }
}

/** In the place of the text an operation declares. */
export const page = (status: number, html: string, headers: readonly string[] = []): string =>
  new Page(status, html, headers) as unknown as string

/** Leads the browser on, with GET. */
export const seeOther = (location: string, headers: readonly string[] = []): string =>
  page(303, '', ['Location', location, 'Referrer-Policy', 'no-referrer', ...headers])
