import type { AccountId, App, Flavour, Money, Scope } from '@quipu/core'
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
import { type Sheet, sheet } from './sheet.ts'
import { dollarText, externalLink, hostOf, liveMark, readingWords, scopeWords } from './words.ts'

/** An account that the user can select. */
export type Choice = { readonly id: AccountId; readonly number: string; readonly cash: Money }

/** The content of the consent page. */
export type ConsentContent = FormParts & {
  readonly app: Pick<App, 'name' | 'url' | 'description' | 'termsOfUse' | 'privacyPolicy'>
  /** Name of the partner who registered the app. */
  readonly partner: string
  readonly scopes: readonly Scope[]
  readonly redirectUri: string
  readonly user: string
  readonly world: string | undefined
  /** The selectable kinds of account, with the user's accounts. */
  readonly choices: Readonly<Partial<Record<Flavour, readonly Choice[]>>>
  /** Live accounts were requested, but this app may not use them. */
  readonly isLiveRefused: boolean
  readonly chosen?: Readonly<Partial<Record<Flavour, string | undefined>>>
  readonly mistakes?: readonly Mistake[]
}

const title = {
  live: html`Live account ${liveMark('Live money')}`,
  paper: html`Paper account <span class="practice">Practice money</span>`,
} as const
const flavours = ['paper', 'live'] as const

/** Allow and deny have equal weight. */
export function consentPage(content: ConsentContent): Sheet {
  const { app, mistakes = [], redirectUri } = content
  return sheet({
    title: `Allow ${app.name}?`,
    status: mistakes.length > 0 ? 400 : 200,
    world: content.world,
    redirectsTo: redirectUri,
    main: html`${summary(mistakes)}
<h1>Allow <bdi>${app.name}</bdi> to act for you?</h1>
${about(content)}
<h2>It asks to</h2>
<ul class="may">${[readingWords, ...content.scopes.map((scope) => scopeWords[scope])].map(
      ({ may, more }) => html`<li><b>${may}</b><span>${more}</span></li>`,
    )}</ul>
<form method="post" action="authorize">
${hiddenFields(content)}
${flavours.map((flavour) => group(flavour, content))}
${content.isLiveRefused && liveRefused(app.name)}
${(content.choices.live?.length ?? 0) > 0 && liveWarning(app.name)}
<p class="small soft">It never sees your password. You can withdraw this at any time at <a href="apps">apps that may act for me</a>. After your decision you go on to <b><bdi>${hostOf(redirectUri)}</bdi></b>.</p>
<div class="pair"><button name="answer" value="deny">Deny</button><button name="answer" value="allow">Allow</button></div>
</form>`,
    foot: signedInUser(content.user, content),
  })
}

/** The user has no account to select: explains what to do, with a link back. */
export function noAccountPage(content: ConsentContent): Sheet {
  const { app, redirectUri } = content
  const kinds = flavours.filter((flavour) => content.choices[flavour])
  return sheet({
    title: `No account for ${app.name}`,
    world: content.world,
    redirectsTo: redirectUri,
    main: html`<h1>You have no account that <bdi>${app.name}</bdi> could act for</h1>
${about(content)}
${
  content.isLiveRefused
    ? liveRefused(app.name)
    : html`<p>It asks for ${kinds.length === 1 ? html`a <b>${kinds[0]}</b> account` : 'a paper or a live account'}, and you have none that is open.</p>`
}
<h2>What you can do</h2>
<ul>
${
  content.isLiveRefused
    ? html`<li>Ask its makers to have it approved, or to ask for a paper account.</li>`
    : html`<li>Ask the operator of this broker to open an account for you, then come back here.</li>`
}
<li>If you have accounts under another name, sign out below and sign in again.</li>
</ul>
<form method="post" action="authorize">${hiddenFields(content)}<div class="pair"><button name="answer" value="deny">Back to <bdi>${app.name}</bdi></button></div></form>`,
    foot: signedInUser(content.user, content),
  })
}

function about({ app, partner }: ConsentContent): Html {
  const { name, url, description, termsOfUse, privacyPolicy } = app
  const links: readonly HtmlPiece[] = [
    url !== '' && externalLink(url, hostOf(url)),
    termsOfUse !== '' && externalLink(termsOfUse, 'Terms of use'),
    privacyPolicy !== '' && externalLink(privacyPolicy, 'Privacy policy'),
  ]
  const shown = links.filter((link) => link !== false)
  return html`<div class="about"><p class="by">Provided by <b><bdi>${partner}</bdi></b>, a partner of this broker.</p>${description !== '' && description !== name && html`<p><bdi>${description}</bdi></p>`}${
    shown.length > 0 && html`<p class="small">${shown}</p>`
  }</div>`
}

/** Shown while a live account is selected, by the style sheet. */
const liveWarning = (name: string): Html =>
  html`<div class="notice live" role="note"><p><b>This is live money.</b> If you allow it, <bdi>${name}</bdi> acts on your live account.</p></div>`

const liveRefused = (name: string): Html =>
  html`<div class="notice"><p><b>No live accounts.</b> <bdi>${name}</bdi> has not been approved for live accounts, so it can act for a paper account only.</p></div>`

function group(flavour: Flavour, { choices, chosen, mistakes = [] }: ConsentContent): HtmlPiece {
  const offered = choices[flavour]
  if (!offered || offered.length === 0) return undefined
  const marked = chosen ? (chosen[flavour] ?? '') : preselected(flavour, choices)
  const isOptional = flavours.some((other) => other !== flavour && (choices[other]?.length ?? 0) > 0)
  const options = [
    ...offered.map(({ id, number, cash }) => ({ value: id, words: number, cash: dollarText(cash) })),
    ...(isOptional ? [{ value: '', words: `No ${flavour} account`, cash: '' }] : []),
  ]
  return html`<fieldset role="radiogroup" class="${flavour}"${errorAttributes(flavour, mistakes)}>
<legend>${title[flavour]}</legend>
${options.map(
  ({ value, words, cash }, at) =>
    html`<label class="choice"><input type="radio" name="${flavour}" value="${value}"${at === 0 && html` id="${flavour}"`}${value === marked && html` checked`}><span class="what">${words}${cash !== '' && html` <span class="cash">${cash} in cash</span>`}</span></label>`,
)}
${fieldError(flavour, mistakes)}
</fieldset>`
}

/** Paper first: it is the safer default. */
function preselected(flavour: Flavour, choices: ConsentContent['choices']): string {
  const first = flavours.find((one) => (choices[one]?.length ?? 0) > 0)
  return first === flavour ? (choices[flavour]?.[0]?.id ?? '') : ''
}
