/** Markup that is safe to send. Only `html` creates it, so all text is escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** A piece of markup: text is escaped, Html is inserted as it is, undefined and false are empty. */
export type HtmlPiece = Html | string | number | undefined | false | readonly HtmlPiece[]

/** Attributes must be in double quotes; then every piece is safe in text and in attributes. */
export function html(parts: TemplateStringsArray, ...pieces: readonly HtmlPiece[]): Html {
  let markup = parts[0] ?? ''
  for (const [at, piece] of pieces.entries()) markup += markupOf(piece) + parts[at + 1]
  return new Html(markup)
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

function markupOf(piece: HtmlPiece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.markup
  if (typeof piece === 'object') return piece.map(markupOf).join('')
  return escaped(String(piece))
}
