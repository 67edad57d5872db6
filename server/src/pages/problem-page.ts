import { type HtmlPiece, html } from './html.ts'
import { type Sheet, sheet } from './sheet.ts'
import { durationText } from './words.ts'

export type PageProblem = {
  readonly title: string
  readonly status?: number
  readonly words: readonly string[]
  /** A link to continue. */
  readonly next?: { readonly href: string; readonly words: string }
  /** Details for the developers of an app. */
  readonly forDevelopers?: Readonly<Record<string, string>>
}

/** Shows what went wrong and what to do, without a redirect. */
export const problemPage = ({ title, status = 400, words, next, forDevelopers }: PageProblem): Sheet =>
  sheet({
    title,
    status,
    main: html`<h1>${title}</h1>
${words.map((line) => html`<p>${line}</p>`)}
${next && html`<p><a href="${next.href}">${next.words}</a></p>`}
${forDevelopers && developerDetails(forDevelopers)}`,
  })

/** Too many failed attempts: how long to wait. */
export function waitPage(seconds: number, back: string): Sheet {
  const {
    status,
    html: text,
    headers,
  } = problemPage({
    title: 'Please wait',
    status: 429,
    words: [
      'There were too many failed attempts, so sign-in is locked for a while.',
      `Try again in ${durationText(seconds)}.`,
    ],
    next: { href: back, words: 'Back to sign-in' },
  })
  return { status, html: text, headers: [...headers, 'Retry-After', String(seconds)] }
}

const developerDetails = (rows: Readonly<Record<string, string>>): HtmlPiece =>
  html`<details><summary>For the developers of the app</summary><dl>${Object.entries(rows).map(
    ([name, value]) => html`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`,
  )}</dl></details>`
