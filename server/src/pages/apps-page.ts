import type { ClientId, Flavour, Instant, Money, Scope } from '@quipu/core'
import { hiddenFields, signedInUser } from './forms.ts'
import { type Html, type HtmlPiece, html } from './html.ts'
import { type Sheet, sheet } from './sheet.ts'
import {
  dollarText,
  externalLink,
  hostOf,
  liveMark,
  type Role,
  readingWords,
  roleWords,
  scopeWords,
  timeElement,
} from './words.ts'

/** An app that may act for a user. */
export type AllowedApp = {
  readonly clientId: ClientId
  readonly name: string
  readonly url: string
  readonly isActive: boolean
  readonly scopes: readonly Scope[]
  readonly accounts: readonly { readonly number: string; readonly flavour: Flavour }[]
  readonly since: Instant
  readonly lastUsedAt?: Instant | undefined
  /** A partner gave consent for its customer. */
  readonly byPartner: boolean
}

export type UserAccount = { readonly number: string; readonly flavour: Flavour; readonly cash: Money }

export type RightsOfSession = { readonly role: Role; readonly until: Instant | undefined }

export type AppsView = {
  readonly csrf: string
  readonly user: string
  readonly world: string | undefined
  readonly apps: readonly AllowedApp[]
  readonly accounts: readonly UserAccount[]
  /** The app whose consent was just withdrawn. */
  readonly withdrawn?: string | undefined
  /** For operators and auditors: the end of the rights in this session, if it has them. */
  readonly rights?: RightsOfSession | undefined
}

/** The apps that may act for a user, each with a button to withdraw the consent. */
export function appsPage(view: AppsView): Sheet {
  const { apps, accounts, csrf } = view
  return sheet({
    title: 'Apps that may act for me',
    world: view.world,
    isWide: true,
    main: html`${view.withdrawn !== undefined && html`<div class="notice" role="status"><p><b><bdi>${view.withdrawn}</bdi></b> may no longer act for you.</p></div>`}
<h1>Apps that may act for me</h1>
${
  apps.length === 0
    ? html`<p class="soft">No app may act for you. When one asks to, you see what it wants and for which account before anything happens, and what you allow is then listed here.</p>`
    : html`<p class="soft">What you have allowed lasts until you withdraw it.</p>
<ul class="apps">${apps.map((app) => entry(app, csrf))}</ul>`
}
<h2>My accounts</h2>
${accounts.length === 0 ? html`<p class="soft">You have none. The operator of this broker can open one for you.</p>` : table(accounts)}
<h2>Signing in</h2>
<p><a href="factors">Passkeys and authenticator app</a></p>
${view.rights && rightsOfSession(view.rights)}`,
    foot: signedInUser(view.user, { csrf }),
  })
}

function entry(app: AllowedApp, csrf: string): Html {
  const may = [readingWords, ...app.scopes.map((scope) => scopeWords[scope])]
  const notes: readonly HtmlPiece[] = [
    !app.isActive && html`<p class="small soft">It is switched off at the moment, and cannot act.</p>`,
    app.byPartner && html`<p class="small soft">Allowed through a partner of this broker.</p>`,
  ]
  return html`<li>
<h2><bdi>${app.name}</bdi></h2>
${app.url !== '' && html`<p class="small">${externalLink(app.url, hostOf(app.url))}</p>`}
${notes}
<dl>
<dt>May</dt><dd><ul>${may.map((words) => html`<li>${words.may}</li>`)}</ul></dd>
<dt>Account</dt><dd><ul>${app.accounts.map(({ number, flavour }) => html`<li>${number}${flavour === 'live' ? html` ${liveMark()}` : `, ${flavour}`}</li>`)}</ul></dd>
<dt>Since</dt><dd>${timeElement(app.since)}</dd>
<dt>Last used</dt><dd>${app.lastUsedAt === undefined ? 'Not yet' : html`${timeElement(app.lastUsedAt)}, to the hour`}</dd>
</dl>
<form method="post" action="apps">${hiddenFields({ csrf })}<input type="hidden" name="client_id" value="${app.clientId}"><button aria-label="Withdraw what ${app.name} may do">Withdraw</button></form>
</li>`
}

const kind = (flavour: Flavour): HtmlPiece => (flavour === 'live' ? liveMark() : flavour)

const rightsOfSession = ({ role, until }: RightsOfSession): Html =>
  html`<h2>${roleWords[role].rights}</h2>
<p>${until === undefined ? `This session does not act as ${roleWords[role].role}.` : html`This session acts as ${roleWords[role].role} until ${timeElement(until)}.`}</p>
<p><a href="operator">${until === undefined ? 'Raise the rights for one hour' : 'Drop the rights'}</a></p>`

const table = (accounts: readonly UserAccount[]): Html =>
  html`<table class="mine">
<thead><tr><th scope="col">Number</th><th scope="col">Kind</th><th scope="col" class="cash">Cash</th></tr></thead>
<tbody>${accounts.map(({ number, flavour, cash }) => html`<tr><td>${number}</td><td>${kind(flavour)}</td><td class="cash">${dollarText(cash)}</td></tr>`)}</tbody>
</table>`
