import { randomBytes, randomUUID } from 'node:crypto'
import type { Handlers } from '@quipu/contract'
import { type AccountId, formatInstant, type Instant, owns } from '@quipu/core'
import { type Caller, digestOf, type SignedIn } from '../credentials.ts'
import { SESSION_TOKEN_MS } from '../session-tokens.ts'
import { signedIn } from './browser.ts'
import type { Context } from './context.ts'
import { sourceOf } from './origin.ts'
import { refuse } from './refusal.ts'

type Names = 'getBrowserSession' | 'issueSessionToken'

/** How pages of this server get to call it: the cookie opens these two operations alone, and they give out tokens. */
export const sessionHandlers: Handlers<Context, Names> = {
  getBrowserSession: async (_, context) => {
    const { world, person, session } = sessionOf(context)
    const accounts = await context.saw(
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
    return {
      person_id: person.id,
      name: person.name,
      operator: person.operator === true,
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
    context.world = me.world
    const token = randomBytes(32).toString('base64url')
    context.services.worlds.credentials.sessionTokens.issue(
      digestOf(token),
      me,
      callerFor(me, body.account_id),
      Date.now(),
    )
    return { access_token: token, token_type: 'Bearer', expires_in: SESSION_TOKEN_MS / 1000 }
  },
}

function sessionOf(context: Context): SignedIn {
  const me = signedIn(context)
  if (!me) throw refuse({ code: 'unauthorized' })
  return me
}

/** For the account that is named, or as the operator. */
function callerFor({ world, person, digest, session }: SignedIn, accountId: string | undefined): Caller {
  const shared = { world, credentialId: randomUUID(), session: { world, digest, id: session.id } }
  if (accountId !== undefined) {
    if (!owns(world.view, person.id, accountId as AccountId)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', ...shared, accountId: accountId as AccountId }
  }
  const [partnerId] = world.view.partners.keys()
  if (!person.operator || !partnerId) throw refuse({ code: 'forbidden' })
  return { kind: 'partner', ...shared, partnerId, operator: true }
}
