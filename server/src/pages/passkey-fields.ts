import { type Html, html } from './html.ts'

/** What the script `web/src/passkeys.ts` reads and fills in. Without scripts the button stays off, and the text says why. */
export const passkeyFields = ({
  use,
  options,
  challenge,
}: {
  readonly use: 'create' | 'sign'
  readonly options: object
  readonly challenge: string
}): Html => html`<input type="hidden" name="challenge" value="${challenge}">
<input type="hidden" name="passkey" value="" data-passkey="${use}" data-options="${JSON.stringify(options)}">
<p class="why" data-passkey-problem role="alert" hidden></p>
<noscript><p class="small soft">A passkey needs JavaScript, which this browser does not run.</p></noscript>`
