import type { Address } from './addresses.ts'

export type Heading = { readonly id: string; readonly html: string; readonly level: number }

/** One page of the site, before it gets navigation and layout. */
export type Page = {
  readonly address: Address
  /** The `h1`, as text. */
  readonly title: string
  /** The name in the navigation. */
  readonly label: string
  /** One sentence for search results and the head of the page. */
  readonly about: string
  /** The content of `<article>`. */
  readonly html: string
  readonly headings: readonly Heading[]
  readonly markdown: string
  /** Pages to show beside the text. */
  readonly related?: Related
  /** The method of an operation, for the navigation. */
  readonly method?: string
  /** The pages above this one, for the breadcrumbs. */
  readonly parents: readonly Address[]
}

export type Related = { readonly title: string; readonly addresses: readonly Address[] }

/** A titled list of pages in the navigation. A page may have pages below it, shown while one of them is open. */
export type Section = { readonly title: string; readonly entries: readonly Entry[] }
export type Entry = { readonly address: Address; readonly inner: readonly Address[] }

export type Site = {
  readonly sections: readonly Section[]
  readonly pages: ReadonlyMap<Address, Page>
}
