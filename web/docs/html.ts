const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!)

/** Text as HTML, with `code` in backquotes. */
export const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** The text of HTML, for titles and the search index. */
export const plainText = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** An icon of `icons.svg`. Decorative: the text beside it is the name. */
export const icon = (root: string, name: string): string =>
  `<svg class="icon" aria-hidden="true"><use href="${root}docs/assets/icons.svg#${name}"/></svg>`
