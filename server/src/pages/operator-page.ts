import type { Instant } from '@quipu/core'
import { errorAttributes, fieldError, hiddenFields, type Mistake, signedInUser, summary } from './forms.ts'
import { type Html, html } from './html.ts'
import { type Sheet, sheet } from './sheet.ts'
import { timeElement } from './words.ts'

export type OperatorView = {
  readonly csrf: string
  readonly user: string
  readonly world: string | undefined
  readonly isOperator: boolean
  /** The end of the operator rights of the session; absent without rights. */
  readonly until: Instant | undefined
  readonly mistakes?: readonly Mistake[] | undefined
}

/** A form that raises the operator rights of the session, or one that drops them. */
export function operatorPage(view: OperatorView): Sheet {
  const { mistakes = [] } = view
  return sheet({
    title: 'Operator rights',
    status: mistakes.length > 0 ? 400 : 200,
    world: view.world,
    main: html`${summary(mistakes, false)}
<h1>Operator rights</h1>
${view.isOperator ? rights(view) : html`<p>You are not an operator of this broker. An operator can make you one.</p>`}
<p class="back"><a href="apps">Back to apps that may act for me</a></p>`,
    foot: signedInUser(view.user, view),
  })
}

const rights = (view: OperatorView): Html => (view.until === undefined ? raise(view) : drop(view, view.until))

const raise = ({ csrf, user, mistakes = [] }: OperatorView): Html =>
  html`<p class="soft">An operator controls every world, account, key and user of this broker. This session does not act as one until you enter your password again, and then for one hour.</p>
<form method="post" action="operator">
${hiddenFields({ csrf })}
<input type="text" name="name" value="${user}" autocomplete="username" readonly hidden>
<label class="of" for="password">Password</label>
<input class="text" id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required autofocus${errorAttributes('password', mistakes)}>
${fieldError('password', mistakes)}
<button class="main" name="answer" value="raise">Act as an operator for one hour</button>
</form>`

const drop = ({ csrf }: OperatorView, until: Instant): Html =>
  html`<div class="notice"><p><b>This session acts as an operator</b> until ${timeElement(until)}.</p></div>
<p class="soft">It controls every world, account, key and user of this broker. Drop the rights when you are done.</p>
<form method="post" action="operator">${hiddenFields({ csrf })}<button class="main" name="answer" value="drop">Drop operator rights</button></form>`
