import type { Instant, UserRole } from '@quipu/core'
import { errorAttributes, fieldError, hiddenFields, type Mistake, signedInUser, summary } from './forms.ts'
import { type Html, html } from './html.ts'
import { type Sheet, sheet } from './sheet.ts'
import { roleWords, timeElement } from './words.ts'

export type OperatorView = {
  readonly csrf: string
  readonly user: string
  readonly world: string | undefined
  readonly role: UserRole
  /** The end of the rights in this session; absent without rights. */
  readonly until: Instant | undefined
  readonly mistakes?: readonly Mistake[] | undefined
}

/** A form that raises the rights of an operator or auditor in this session, or one that drops them. */
export function operatorPage(view: OperatorView): Sheet {
  const { mistakes = [], role } = view
  const title = role === 'user' ? 'Operator rights' : roleWords[role].rights
  return sheet({
    title,
    status: mistakes.length > 0 ? 400 : 200,
    world: view.world,
    main: html`${summary(mistakes, false)}
<h1>${title}</h1>
${role === 'user' ? html`<p>You are not an operator of this broker. An operator can make you one.</p>` : rights(view, roleWords[role])}
<p class="back"><a href="apps">Back to apps that may act for me</a></p>`,
    foot: signedInUser(view.user, view),
  })
}

type Words = (typeof roleWords)[keyof typeof roleWords]

const rights = (view: OperatorView, words: Words): Html =>
  view.until === undefined ? raise(view, words) : drop(view, words, view.until)

const raise = ({ csrf, user, mistakes = [] }: OperatorView, words: Words): Html =>
  html`<p class="soft">${words.about} This session does not act as one until you enter your password again, and then for one hour.</p>
<form method="post" action="operator">
${hiddenFields({ csrf })}
<input type="text" name="name" value="${user}" autocomplete="username" readonly hidden>
<label class="of" for="password">Password</label>
<input class="text" id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required autofocus${errorAttributes('password', mistakes)}>
${fieldError('password', mistakes)}
<button class="main" name="answer" value="raise">Act as ${words.role} for one hour</button>
</form>`

const drop = ({ csrf }: OperatorView, words: Words, until: Instant): Html =>
  html`<div class="notice"><p><b>This session acts as ${words.role}</b> until ${timeElement(until)}.</p></div>
<p class="soft">${words.about} Drop the rights when you are done.</p>
<form method="post" action="operator">${hiddenFields({ csrf })}<button class="main" name="answer" value="drop">Drop ${words.rights.toLowerCase()}</button></form>`
