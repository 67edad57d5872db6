import { type Html, type HtmlPiece, html } from './html.ts'

/** The hidden fields of a form: the CSRF token and the app's request. */
export type FormParts = {
  readonly csrf: string
  /** The app's request as a query string. */
  readonly request?: string | undefined
}

/** One field for the whole request, because browsers rewrite line breaks in fields and a query has none. */
export const hiddenFields = ({ csrf, request }: FormParts): Html =>
  html`<input type="hidden" name="csrf" value="${csrf}">${
    request !== undefined && html`<input type="hidden" name="request" value="${request}">`
  }`

/** A validation error and its field. */
export type Mistake = { readonly field: string; readonly message: string }

/** A list of the errors with links to the fields. It has the focus, unless a field has it. */
export const summary = (mistakes: readonly Mistake[], hasFocus = true): HtmlPiece =>
  mistakes.length > 0 &&
  html`<div class="mistakes" role="alert" tabindex="-1"${hasFocus && html` autofocus`}>
<h2>That did not work</h2>
<ul>${mistakes.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul>
</div>`

/** The error below a field; `errorAttributes` links the two. */
export const fieldError = (field: string, mistakes: readonly Mistake[]): HtmlPiece =>
  mistakes
    .filter((mistake) => mistake.field === field)
    .map(({ message }) => html`<p class="why" id="${field}-why">${message}</p>`)

export const errorAttributes = (field: string, mistakes: readonly Mistake[]): HtmlPiece =>
  mistakes.some((mistake) => mistake.field === field) &&
  html` aria-invalid="true" aria-describedby="${field}-why"`

/** The signed-in user, and a button to sign out. */
export const signedInUser = (name: string, parts: FormParts, words = 'Signed in as'): Html =>
  html`<form method="post" action="sign-out">${hiddenFields(parts)}<span>${words} <b><bdi>${name}</bdi></b>.</span> <button class="plain">Not you? Sign out</button></form>`
