import type { Passkey, Totp } from '@quipu/core'
import {
  errorAttributes,
  type FormParts,
  fieldError,
  hiddenFields,
  type Mistake,
  signedInUser,
  summary,
} from './forms.ts'
import { type Html, type HtmlPiece, html } from './html.ts'
import { passkeyFields } from './passkey-fields.ts'
import { type Sheet, sheet } from './sheet.ts'
import { timeElement } from './words.ts'

type FactorsPageParts = FormParts & {
  readonly user: string
  readonly world: string | undefined
  readonly mistakes?: readonly Mistake[] | undefined
}

export type FactorsContent = FactorsPageParts & {
  /** The user must add a factor before the session has any rights. */
  readonly isEnrolling: boolean
  readonly isRequired: boolean
  readonly app: Totp | undefined
  readonly passkeys: readonly Passkey[]
  /** Why the browser could not use a passkey at this address. */
  readonly passkeyProblem?: string | undefined
  readonly newPasskey?: { readonly options: object; readonly challenge: string } | undefined
}

/** The second factors of a user, with forms to add and remove them. */
export function factorsPage(content: FactorsContent): Sheet {
  const { mistakes = [], isEnrolling } = content
  return sheet({
    title: isEnrolling ? 'Add a second factor' : 'Second factors',
    status: mistakes.length > 0 ? 400 : 200,
    world: content.world,
    hasPasskeys: content.newPasskey !== undefined,
    main: html`${summary(mistakes, false)}
<h1>${isEnrolling ? 'Add a second factor' : 'Second factors'}</h1>
${introduction(content)}
<h2>Passkeys</h2>
<p class="soft">A passkey is a key in your device, your password manager or a security key. It works on this address only, so no other site can ask for it.</p>
${passkeyList(content)}
${addPasskey(content)}
<h2>Authenticator app</h2>
${appPart(content)}
${!isEnrolling && html`<p class="back"><a href="apps">Back to apps that may act for me</a></p>`}`,
    foot: signedInUser(content.user, content, isEnrolling ? 'Signing in as' : undefined),
  })
}

function introduction({ isEnrolling, isRequired }: FactorsContent): Html {
  if (isEnrolling)
    return html`<div class="notice"><p><b>This broker requires a second factor.</b> You are signed in when you have added one.</p></div>`
  return html`<p class="soft">With a second factor, a password alone does not sign you in. ${isRequired ? 'This broker requires one.' : 'One is enough; two are safer if you lose one.'}</p>`
}

const passkeyList = ({ passkeys, ...parts }: FactorsContent): HtmlPiece =>
  passkeys.length > 0 &&
  html`<ul class="factors">${passkeys.map(
    ({ id, name, createdAt }) =>
      html`<li><span><b><bdi>${name}</bdi></b><br><span class="small soft">Added ${timeElement(createdAt)}</span></span>${removeForm(parts, id, name)}</li>`,
  )}</ul>`

const removeForm = (parts: FormParts, factor: string, name: string): Html =>
  html`<form method="post" action="factors">${hiddenFields(parts)}<input type="hidden" name="factor" value="${factor}"><button name="answer" value="remove" aria-label="Remove ${name}">Remove</button></form>`

function addPasskey(content: FactorsContent): Html {
  const { newPasskey, passkeyProblem, mistakes = [] } = content
  if (!newPasskey) return html`<p class="small soft">${passkeyProblem ?? ''}</p>`
  return html`<form method="post" action="factors">
${hiddenFields(content)}
<input type="hidden" name="answer" value="add-passkey">
<label class="of" for="passkey-name">Name of a new passkey</label>
<input class="text" id="passkey-name" name="name" maxlength="64" placeholder="Laptop" autocomplete="off"${errorAttributes('passkey-name', mistakes)}>
${fieldError('passkey-name', mistakes)}
${passkeyFields({ use: 'create', ...newPasskey })}
<button class="wide" disabled>Add a passkey</button>
</form>`
}

function appPart({ app, ...parts }: FactorsContent): Html {
  if (app)
    return html`<ul class="factors"><li><span><b>Authenticator app</b><br><span class="small soft">Added ${timeElement(app.createdAt)}</span></span>${removeForm(parts, 'app', 'the authenticator app')}</li></ul>`
  return html`<p class="soft">An app on your phone shows a new code every 30 seconds. It works without a network and with every browser.</p>
<form method="post" action="factors">${hiddenFields(parts)}<button class="wide" name="answer" value="new-app">Add an authenticator app</button></form>`
}

export type NewAppContent = FactorsPageParts & {
  readonly secret: string
  readonly uri: string
  /** The secret for the server, which keeps nothing before the first code. */
  readonly sealed: string
  /** The modules of the QR code, row by row. */
  readonly dots: readonly (readonly boolean[])[]
}

/** Shows the secret once, and asks for the first code. */
export function newAppPage(content: NewAppContent): Sheet {
  const { secret, uri, sealed, dots, mistakes = [] } = content
  return sheet({
    title: 'Add an authenticator app',
    status: mistakes.length > 0 ? 400 : 200,
    world: content.world,
    main: html`${summary(mistakes, false)}
<h1>Add an authenticator app</h1>
<p class="soft">Scan this code with the app. It is shown only now.</p>
${qrCode(dots)}
<details><summary>Enter it by hand instead</summary>
<dl><dt>Secret</dt><dd><code>${secret.match(/.{1,4}/g)?.join(' ')}</code></dd>
<dt>Link</dt><dd><a href="${uri}"><code>${uri}</code></a></dd></dl></details>
<form method="post" action="factors">
${hiddenFields(content)}
<input type="hidden" name="secret" value="${sealed}">
<label class="of" for="passcode">Code that the app shows</label>
<input class="text code" id="passcode" name="passcode" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required autofocus${errorAttributes('passcode', mistakes)}>
${fieldError('passcode', mistakes)}
<button class="main" name="answer" value="add-app">Add the app</button>
</form>
<p class="back"><a href="factors">Back</a></p>`,
    foot: signedInUser(content.user, content),
  })
}

/** Dark on light in both colour schemes, because some apps read no other. */
function qrCode(dots: NewAppContent['dots']): Html {
  const path = dots
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('')
  const box = `0 0 ${dots.length} ${dots.length}`
  return html`<svg class="qr" viewBox="${box}" role="img" aria-label="QR code of the secret" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
