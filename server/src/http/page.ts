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
