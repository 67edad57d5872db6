/** Pages that will never be others, newest use last; the rows of all of them together are bounded. */
export class PageCache<Page extends { readonly rows: readonly unknown[] }> {
  readonly #rowsMax: number
  readonly #pages = new Map<string, Page>()
  #rows = 0

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax
  }

  get(key: string): Page | undefined {
    const page = this.#pages.get(key)
    if (!page) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, page)
    return page
  }

  keep(key: string, page: Page): void {
    if (weight(page) > this.#rowsMax || this.#pages.has(key)) return
    this.#pages.set(key, page)
    this.#rows += weight(page)
    for (const [oldest, each] of this.#pages) {
      if (this.#rows <= this.#rowsMax) return
      this.#pages.delete(oldest)
      this.#rows -= weight(each)
    }
  }
}

/** An empty page takes room too. */
const weight = ({ rows }: { readonly rows: readonly unknown[] }): number => rows.length + 1
