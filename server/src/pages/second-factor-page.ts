import {
  errorAttributes,
  type FormParts,
  fieldError,
  hiddenFields,
  type Mistake,
  signedInUser,
  summary,
} from './forms.ts'
import { type Html, html } from './html.ts'
import { passkeyFields } from './passkey-fields.ts'
import { type Sheet, sheet } from './sheet.ts'

export type SecondFactorContent = FormParts & {
  readonly user: string
  readonly world: string | undefined
  readonly hasApp: boolean
  readonly passkey?: { readonly options: object; readonly challenge: string } | undefined
  readonly mistakes?: readonly Mistake[] | undefined
}

/** Asks for a code, a passkey, or either of them. Only a page with passkeys has a script. */
export function secondFactorPage(content: SecondFactorContent): Sheet {
  const { mistakes = [], passkey, hasApp } = content
  return sheet({
    title: 'Second factor',
    status: mistakes.length > 0 ? 400 : 200,
    world: content.world,
    hasPasskeys: passkey !== undefined,
    main: html`${summary(mistakes, false)}
<h1>Confirm that it is you</h1>
<p class="soft">Your password was right. This step keeps out anybody else who knows it.</p>
${passkey && passkeyForm(content, passkey)}
${passkey && hasApp && html`<p class="or soft">or</p>`}
${hasApp && codeForm(content)}
<p class="small soft help">Have you lost it? An operator of this broker can remove your second factor, on the machine of the server.</p>`,
    foot: signedInUser(content.user, content, 'Signing in as'),
  })
}

const passkeyForm = (
  parts: FormParts,
  { options, challenge }: NonNullable<SecondFactorContent['passkey']>,
): Html =>
  html`<form method="post" action="second-factor">
${hiddenFields(parts)}
${passkeyFields({ use: 'sign', options, challenge })}
<button class="main" id="use-passkey" disabled>Use a passkey</button>
</form>`

const codeForm = (content: SecondFactorContent): Html =>
  html`<form method="post" action="second-factor">
${hiddenFields(content)}
<label class="of" for="passcode">Code of your authenticator app</label>
<input class="text code" id="passcode" name="passcode" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required${content.passkey === undefined && html` autofocus`}${errorAttributes('passcode', content.mistakes ?? [])}>
${fieldError('passcode', content.mistakes ?? [])}
<button class="${content.passkey === undefined ? 'main' : 'wide'}">Confirm</button>
</form>`
