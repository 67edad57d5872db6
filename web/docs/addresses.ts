/** The address of a page below the root of the site, without `.html`: `docs`, `docs/guides/worlds`. */
export type Address = string

/**
 * The way from a page to the root of the site. Links are relative, so the site works below any path of a proxy. They are
 * never `..` alone: that would name a folder (`/docs/`) in place of the page (`/docs`).
 */
export const rootFrom = (from: Address): string => '../'.repeat(from.split('/').length - 1)

/** The link from one page to another, or to the start page of the server (`''`). */
export const hrefFrom = (from: Address, to: Address): string => `${rootFrom(from)}${to}` || './'

/** The id of a heading, as GitHub makes it, so that links work in both places. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(' ', '-')
