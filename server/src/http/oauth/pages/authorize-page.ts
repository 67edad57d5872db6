import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { newCredential } from '@quipu/broker/access/world-code.ts'
import type { InputOf } from '@quipu/contract'
import {
  type AccountId,
  type Command,
  cashOf,
  type Decision,
  definedFields,
  type Flavour,
  mayConnectLive,
  type UserId,
  type View,
} from '@quipu/core'
import { type Choice, type ConsentContent, consentPage, noAccountPage } from '../../../pages/consent-page.ts'
import type { Mistake } from '../../../pages/forms.ts'
import { problemPage } from '../../../pages/problem-page.ts'
import { publicUrlOf } from '../../connection/host.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import {
  type AuthorizationQuery,
  type AuthorizationRequest,
  type AuthorizeError,
  parseRequest,
  queryFromForm,
  type RedirectTarget,
  redirectUrl,
} from './authorization-request.ts'
import {
  asPage,
  browserWorldName,
  isSameSessionForm,
  PageResponse,
  pageHandler,
  signedIn,
} from './browser.ts'

type Me = SignedInCaller & { readonly csrf: string }
type AuthorizeForm = InputOf<'submitAuthorizePage'>['body']

export const authorizePageHandlers = {
  showAuthorizePage: pageHandler(async ({ query }, context) => {
    const request = requestIn(query, context)
    const me = signedIn(context, request.world)
    if (!me) return seeOther(signInAt(request.text))
    return asPage(await questionPage(context, request, me))
  }),

  submitAuthorizePage: pageHandler(async ({ body }, context) => {
    const request = requestIn(queryFromForm(body.request), context)
    const me = signedIn(context, request.world)
    if (!me) return seeOther(signInAt(request.text))
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage(request.text))
    return body.answer === 'allow' ? allow(context, request, me, body) : deny(context, request, me)
  }),
} satisfies SomeHandlers

export const signInAt = (request: string): string => `sign-in?${new URLSearchParams({ request })}`
export const authorizeAt = (request: string): string => `authorize?${request}`

export const staleFormPage = (request?: string): string =>
  asPage(
    problemPage({
      title: 'This form is no longer valid',
      words: [
        'You may have signed in again since it was shown, or the browser does not keep cookies of this server. Nothing was changed.',
      ],
      next:
        request === undefined
          ? { href: 'apps', words: 'Go on' }
          : { href: authorizeAt(request), words: 'Show it again' },
    }),
  )

/** Returns a valid request; for any other, throws the page or the redirect that answers it. */
function requestIn(query: AuthorizationQuery, context: Context): AuthorizationRequest {
  const parsed = parseRequest(context.services, query)
  if (parsed.kind === 'valid') return parsed.request
  if (parsed.kind === 'unsafe') throw new PageResponse(asPage(unsafePage(parsed.cause, parsed.query)))
  throw new PageResponse(errorRedirect(context, parsed.target, parsed.error, parsed.problem))
}

function unsafePage(cause: 'app' | 'redirectUri', query: AuthorizationQuery) {
  const received = (value: AuthorizationQuery[keyof AuthorizationQuery]) =>
    value === undefined ? '(missing)' : String(value).slice(0, 400)
  return problemPage({
    title: 'This link does not work',
    words: [
      cause === 'app'
        ? 'The app that sent you here is not known, or is switched off.'
        : 'The app that sent you here gave a wrong address where you should go afterwards.',
      'Nothing was allowed. Close this page, or go back to the app and try again; if it happens again, contact the developer of the app.',
    ],
    forDevelopers:
      cause === 'app'
        ? { problem: 'client_id is missing, unknown or disabled', client_id: received(query.client_id) }
        : {
            problem: 'redirect_uri is missing or not equal to a registered redirect URI of the app',
            redirect_uri: received(query.redirect_uri),
          },
  })
}

const errorRedirect = (
  context: Context,
  target: RedirectTarget,
  error: AuthorizeError,
  description: string,
): string =>
  seeOther(redirectUrl(target, publicUrlOf(context.services), { error, error_description: description }))

async function questionPage(
  context: Context,
  request: AuthorizationRequest,
  me: Me,
  retry: Pick<ConsentContent, 'chosen' | 'mistakes'> = {},
) {
  const { world, app, env } = request
  const mayUseLive = mayConnectLive(app, me.user.id)
  const kinds = (['paper', 'live'] as const).filter((kind) => env === undefined || env === kind)
  const offered = kinds.filter((kind) => kind === 'paper' || mayUseLive)
  const { choices, hasLive, partner } = await context.state.read(world, (view) => ({
    choices: Object.fromEntries(offered.map((kind) => [kind, choicesOf(view, me.user.id, kind)])),
    partner: view.partners.get(app.owner)?.name ?? '',
    hasLive: choicesOf(view, me.user.id, 'live').length > 0,
  }))
  const question: ConsentContent = {
    app,
    partner,
    scopes: request.scopes,
    redirectUri: request.redirectUri,
    user: me.user.name,
    world: browserWorldName(world),
    csrf: me.csrf,
    request: request.text,
    choices,
    isLiveRefused: !mayUseLive && (env === 'live' || (env === undefined && hasLive)),
    ...retry,
  }
  const isEmpty = Object.values(choices).every((list) => list.length === 0)
  return isEmpty ? noAccountPage(question) : consentPage(question)
}

/** The open accounts of a user, oldest first. */
function choicesOf(view: View, userId: UserId, flavour: Flavour): readonly Choice[] {
  return [...view.accounts.values()]
    .filter((account) => account.userId === userId && account.flavour === flavour)
    .filter(({ closedAt, issuer }) => closedAt === undefined && issuer === undefined)
    .map(({ id, number }) => ({ id, number, cash: cashOf(view, id) }))
}

async function allow(
  context: Context,
  request: AuthorizationRequest,
  me: Me,
  body: AuthorizeForm,
): Promise<string> {
  const { app, redirectUri, scope, challenge, env } = request
  const chosen = {
    live: env === 'paper' ? undefined : body.live,
    paper: env === 'live' ? undefined : body.paper,
  }
  if (chosen.live === undefined && chosen.paper === undefined)
    return askAgain(context, request, me, chosen, 'Choose the account it may act for.')
  const code = newCredential(request.world.access.code, 'uuid')
  const decision = await submit(context, request, {
    kind: 'consent',
    userId: me.user.id,
    clientId: app.clientId,
    redirectUri,
    scope,
    code: digestOf(code),
    ...definedFields({ live: chosen.live as AccountId, paper: chosen.paper as AccountId, challenge }),
    ...(me.session.mainEpoch !== undefined && { ofMain: true }),
  })
  if (decision.ok) return seeOther(redirectUrl(request, publicUrlOf(context.services), { code }))
  if (decision.reason.code === 'oauthAccountInvalid')
    return askAgain(context, request, me, chosen, 'This account cannot be chosen. Choose another.')
  // Any other refusal means that the app or the user changed; the page is built again and shows the reason.
  return seeOther(authorizeAt(request.text))
}

async function askAgain(
  context: Context,
  request: AuthorizationRequest,
  me: Me,
  chosen: NonNullable<ConsentContent['chosen']>,
  message: string,
): Promise<string> {
  const field = request.env ?? (chosen.live === undefined ? 'paper' : 'live')
  const mistakes: readonly Mistake[] = [{ field, message }]
  return asPage(await questionPage(context, request, me, { chosen, mistakes }))
}

async function deny(context: Context, request: AuthorizationRequest, me: Me): Promise<string> {
  await submit(context, request, {
    kind: 'refuseConsent',
    userId: me.user.id,
    clientId: request.app.clientId,
  })
  return errorRedirect(context, request, 'access_denied', 'the user denied the request')
}

const submit = (context: Context, { world }: AuthorizationRequest, command: Command): Promise<Decision> =>
  context.state.submit(world, command)
