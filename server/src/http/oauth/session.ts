import { randomBytes, randomUUID } from 'node:crypto'
import type { Handlers, InputOf } from '@quipu/contract'
import { type AccountId, formatInstant, type Instant, owns } from '@quipu/core'
import type { Caller } from '../../access/caller.ts'
import { digestOf } from '../../access/credentials.ts'
import { mayOperate, SESSION_TOKEN_MS } from '../../access/session-tokens.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { sourceOf } from '../origin.ts'
import { isOwnSessionForm, operatorUntil, signedIn } from './browser.ts'

type Names = 'getBrowserSession' | 'issueSessionToken'
type Me = NonNullable<ReturnType<typeof signedIn>>

/** How pages of this server get to call it: the cookie opens these two operations alone, and they give out tokens. */
export const sessionHandlers: Handlers<Context, Names> = {
  getBrowserSession: async (_, context) => {
    const { world, person, session, csrf } = sessionOf(context)
    const accounts = await context.resultOf(
      world,
      world.read((view) =>
        [...view.accounts.values()]
          .filter(({ id }) => owns(view, person.id, id))
          .map(({ id, number, flavour }) => ({
            id,
            account_number: number,
            flavour,
          })),
      ),
    )
    const until = operatorUntil({ person, session })
    return {
      person_id: person.id,
      name: person.name,
      operator: person.operator === true,
      operator_until: until === undefined ? null : formatInstant(until),
      form_token: csrf,
      world: world.id,
      expires_at: formatInstant((BigInt(session.endsAtMs) * 1_000_000n) as Instant),
      accounts,
    }
  },

  issueSessionToken: ({ body }, context) => {
    // A form of another site can send neither this type nor our origin.
    const type = context.request.headers['content-type'] ?? ''
    if (!/^application\/json\b/i.test(type))
      throw refuse({ code: 'unsupportedMediaType', expected: 'application/json', received: type })
    if (sourceOf(context.request, context.services) !== 'own') throw refuse({ code: 'forbidden' })
    const me = sessionOf(context)
    if (!isOwnSessionForm(context, body.form_token)) throw refuse({ code: 'forbidden' })
    context.world = me.world
    const token = randomBytes(32).toString('base64url')
    const nowMs = Date.now()
    const caller = callerFor(me, body, nowMs)
    context.services.worlds.credentials.sessionTokens.issue(digestOf(token), me, caller, nowMs)
    const rightsMs = caller.kind === 'partner' ? (me.session.operatorUntilMs ?? 0) - nowMs : SESSION_TOKEN_MS
    const expires_in = Math.floor(Math.min(SESSION_TOKEN_MS, rightsMs) / 1000)
    return { access_token: token, token_type: 'Bearer', expires_in }
  },
}

function sessionOf(context: Context): Me {
  const me = signedIn(context)
  if (!me) throw refuse({ code: 'unauthorized' })
  return me
}

/** For the account that is named, or as the operator. */
function callerFor(
  { world, person, digest, session }: Me,
  { account_id: accountId, read_only: readOnly }: InputOf<'issueSessionToken'>['body'],
  nowMs: number,
): Caller {
  const shared = { world, credentialId: randomUUID(), session: { world, digest, id: session.id } }
  if (accountId !== undefined) {
    if (!owns(world.view, person.id, accountId as AccountId)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', ...shared, accountId: accountId as AccountId }
  }
  const [partnerId] = world.view.partners.keys()
  if (!person.operator || !partnerId) throw refuse({ code: 'forbidden' })
  if (!mayOperate(person, session, nowMs)) throw refuse({ code: 'operatorRightsNotRaised' })
  return { kind: 'partner', ...shared, partnerId, operator: true, ...(readOnly ? { readOnly } : {}) }
}
