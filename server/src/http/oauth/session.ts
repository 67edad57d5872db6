import { randomBytes, randomUUID } from 'node:crypto'
import type { InputOf } from '@quipu/contract'
import { type AccountId, formatInstant, type Instant, owns } from '@quipu/core'
import type { Caller } from '../../access/caller.ts'
import { digestOf } from '../../access/credentials.ts'
import { mayOperate, SESSION_TOKEN_MS } from '../../access/session-tokens.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { sourceOf } from '../origin.ts'
import { isSameSessionForm, operatorUntil, signedIn } from './browser.ts'

type Me = NonNullable<ReturnType<typeof signedIn>>

/** How pages of this server call the API: the cookie allows only these two operations, which issue tokens. */
export const sessionHandlers = {
  getBrowserSession: async (_, context) => {
    const { world, user, session, csrf } = sessionOf(context)
    const accounts = await context.read(world, (view) =>
      [...view.accounts.values()]
        .filter(({ id }) => owns(view, user.id, id))
        .map(({ id, number, flavour }) => ({
          id,
          account_number: number,
          flavour,
        })),
    )
    const until = operatorUntil({ user, session })
    return {
      user_id: user.id,
      name: user.name,
      operator: user.operator === true,
      operator_until: until === undefined ? null : formatInstant(until),
      form_token: csrf,
      world: world.id,
      expires_at: formatInstant((BigInt(session.endsAtMs) * 1_000_000n) as Instant),
      accounts,
    }
  },

  issueSessionToken: ({ body }, context) => {
    // A form of another site can send neither this content type nor the origin of this server.
    const type = context.request.headers['content-type'] ?? ''
    if (!/^application\/json\b/i.test(type))
      throw refuse({ code: 'unsupportedMediaType', expected: 'application/json', received: type })
    if (sourceOf(context.request, context.services) !== 'own') throw refuse({ code: 'forbidden' })
    const me = sessionOf(context)
    if (!isSameSessionForm(context, body.form_token)) throw refuse({ code: 'forbidden' })
    context.world = me.world
    const token = randomBytes(32).toString('base64url')
    const nowMs = Date.now()
    const caller = callerFor(me, body, nowMs)
    context.services.worlds.credentials.sessionTokens.issue(digestOf(token), me, caller, nowMs)
    const rightsMs = caller.kind === 'partner' ? (me.session.operatorUntilMs ?? 0) - nowMs : SESSION_TOKEN_MS
    const expires_in = Math.floor(Math.min(SESSION_TOKEN_MS, rightsMs) / 1000)
    return { access_token: token, token_type: 'Bearer', expires_in }
  },
} satisfies SomeHandlers

function sessionOf(context: Context): Me {
  const me = signedIn(context)
  if (!me) throw refuse({ code: 'unauthorized' })
  return me
}

/** The rights of the token: one account of the user, or an operator. */
function callerFor(
  { world, user, digest, session }: Me,
  { account_id: accountId, read_only: readOnly }: InputOf<'issueSessionToken'>['body'],
  nowMs: number,
): Caller {
  const shared = { world, credentialId: randomUUID(), session: { world, digest, id: session.id } }
  if (accountId !== undefined) {
    if (!owns(world.view, user.id, accountId as AccountId)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', ...shared, accountId: accountId as AccountId }
  }
  const [partnerId] = world.view.partners.keys()
  if (!user.operator || !partnerId) throw refuse({ code: 'forbidden' })
  if (!mayOperate(user, session, nowMs)) throw refuse({ code: 'operatorRightsNotRaised' })
  return { kind: 'partner', ...shared, partnerId, operator: true, readOnly: readOnly === true }
}
