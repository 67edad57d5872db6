import { randomUUID } from 'node:crypto'
import type { Handlers, InputOf } from '@quipu/contract'
import {
  type AccountId,
  cashOf,
  type Decision,
  type Flavour,
  mayConnectLive,
  type PersonId,
  type View,
} from '@quipu/core'
import type { SignedIn } from '../../access/caller.ts'
import { digestOf } from '../../access/credentials.ts'
import { type Choice, consentPage, noAccountPage, type Question } from '../../pages/consent-page.ts'
import type { Mistake } from '../../pages/forms.ts'
import { problemPage } from '../../pages/problem-page.ts'
import { definedFields } from '../../wire/defined-fields.ts'
import type { Context } from '../context.ts'
import { publicUrlOf } from '../host.ts'
import { seeOther } from '../prebuilt.ts'
import {
  type Asked,
  type AuthorizeError,
  answered,
  type Back,
  carriedRequest,
  type Given,
  readRequest,
} from './authorization-request.ts'
import { asPage, isOwnSessionForm, paged, Shown, signedIn, worldName } from './browser.ts'

type Names = 'showAuthorizePage' | 'submitAuthorizePage'
type Me = SignedIn & { readonly csrf: string }
type Answer = InputOf<'submitAuthorizePage'>['body']

export const authorizePageHandlers: Handlers<Context, Names> = {
  showAuthorizePage: paged(async ({ query }, context) => {
    const asked = requestIn(query, context)
    const me = signedIn(context, asked.world)
    if (!me) return seeOther(signInAt(asked.text))
    return asPage(await question(context, asked, me))
  }),

  submitAuthorizePage: paged(async ({ body }, context) => {
    const asked = requestIn(carriedRequest(body.request), context)
    const me = signedIn(context, asked.world)
    if (!me) return seeOther(signInAt(asked.text))
    if (!isOwnSessionForm(context, body.csrf)) throw new Shown(notOurForm(asked.text))
    return body.answer === 'allow' ? allow(context, asked, me, body) : deny(context, asked, me)
  }),
}

export const signInAt = (request: string): string => `sign-in?${new URLSearchParams({ request })}`
export const authorizeAt = (request: string): string => `authorize?${request}`

export const notOurForm = (request?: string): string =>
  asPage(
    problemPage({
      title: 'This form is no longer good',
      words: [
        'You may have signed in again since it was shown, or the browser keeps no cookies from here. Nothing was done.',
      ],
      next:
        request === undefined
          ? { href: 'apps', words: 'Go on' }
          : { href: authorizeAt(request), words: 'Show it again' },
    }),
  )

/** The request, if it may be put to someone; else the answer to it is shown. */
function requestIn(given: Given, context: Context): Asked {
  const reading = readRequest(context.services, given)
  if (reading.kind === 'asked') return reading.asked
  if (reading.kind === 'unsafe') throw new Shown(asPage(unsafePage(reading.why, reading.given)))
  throw new Shown(sentBack(context, reading.back, reading.error, reading.problem))
}

function unsafePage(why: 'app' | 'redirectUri', given: Given) {
  const came = (value: Given[keyof Given]) =>
    value === undefined ? '(missing)' : String(value).slice(0, 400)
  return problemPage({
    title: 'This link does not work',
    words: [
      why === 'app'
        ? 'The app that sent you here is not known, or is switched off.'
        : 'The app that sent you here did not say properly where you should go afterwards.',
      'Nothing was allowed. Close this page, or go back to the app and try again; if it happens again, tell its makers.',
    ],
    forMakers:
      why === 'app'
        ? { problem: 'client_id is missing, unknown or disabled', client_id: came(given.client_id) }
        : {
            problem: 'redirect_uri is missing, or not letter by letter one that the app has registered',
            redirect_uri: came(given.redirect_uri),
          },
  })
}

const sentBack = (context: Context, back: Back, error: AuthorizeError, description: string): string =>
  seeOther(answered(back, publicUrlOf(context.services), { error, error_description: description }))

async function question(
  context: Context,
  asked: Asked,
  me: Me,
  given: Pick<Question, 'chosen' | 'mistakes'> = {},
) {
  const { world, app, env } = asked
  const mayLive = mayConnectLive(app, me.person.id)
  const kinds = (['paper', 'live'] as const).filter((kind) => env === undefined || env === kind)
  const offered = kinds.filter((kind) => kind === 'paper' || mayLive)
  const { choices, hasLive, partner } = await context.resultOf(
    world,
    world.read((view) => ({
      choices: Object.fromEntries(offered.map((kind) => [kind, choicesOf(view, me.person.id, kind)])),
      partner: view.partners.get(app.owner)?.name ?? '',
      hasLive: choicesOf(view, me.person.id, 'live').length > 0,
    })),
  )
  const question: Question = {
    app,
    partner,
    scopes: asked.scopes,
    redirectUri: asked.redirectUri,
    person: me.person.name,
    world: worldName(world),
    csrf: me.csrf,
    request: asked.text,
    choices,
    isLiveRefused: !mayLive && (env === 'live' || (env === undefined && hasLive)),
    ...given,
  }
  const isEmpty = Object.values(choices).every((list) => list.length === 0)
  return isEmpty ? noAccountPage(question) : consentPage(question)
}

/** In the order they were opened. */
function choicesOf(view: View, personId: PersonId, flavour: Flavour): readonly Choice[] {
  return [...view.accounts.values()]
    .filter((account) => account.personId === personId && account.flavour === flavour)
    .filter(({ closedAt, issuer }) => closedAt === undefined && issuer === undefined)
    .map(({ id, number }) => ({ id, number, cash: cashOf(view, id) }))
}

async function allow(context: Context, asked: Asked, me: Me, body: Answer): Promise<string> {
  const { app, redirectUri, scope, challenge, env } = asked
  const chosen = {
    live: env === 'paper' ? undefined : body.live,
    paper: env === 'live' ? undefined : body.paper,
  }
  if (chosen.live === undefined && chosen.paper === undefined)
    return again(context, asked, me, chosen, 'Choose the account it may act for.')
  const code = randomUUID()
  const decision = await submitted(context, asked, {
    kind: 'consent',
    personId: me.person.id,
    clientId: app.clientId,
    redirectUri,
    scope,
    code: digestOf(code),
    ...definedFields({ live: chosen.live as AccountId, paper: chosen.paper as AccountId, challenge }),
  })
  if (decision.ok) return seeOther(answered(asked, publicUrlOf(context.services), { code }))
  if (decision.reason.code === 'oauthAccountInvalid')
    return again(context, asked, me, chosen, 'This account cannot be chosen. Choose another.')
  // Whatever else changed since it was looked at is told as it would be to who comes now.
  return seeOther(authorizeAt(asked.text))
}

async function again(
  context: Context,
  asked: Asked,
  me: Me,
  chosen: NonNullable<Question['chosen']>,
  message: string,
): Promise<string> {
  const field = asked.env ?? (chosen.live === undefined ? 'paper' : 'live')
  const mistakes: readonly Mistake[] = [{ field, message }]
  return asPage(await question(context, asked, me, { chosen, mistakes }))
}

async function deny(context: Context, asked: Asked, me: Me): Promise<string> {
  const { person } = me
  await submitted(context, asked, {
    kind: 'refuseConsent',
    personId: person.id,
    clientId: asked.app.clientId,
  })
  return sentBack(context, asked, 'access_denied', 'the person denied the request')
}

const submitted = (
  context: Context,
  { world }: Asked,
  command: Parameters<Asked['world']['submit']>[0],
): Promise<Decision> =>
  context.resultOf(
    world,
    world.submit(command, (_, decided) => decided),
  )
