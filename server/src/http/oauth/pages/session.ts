import { randomUUID } from 'node:crypto'
import type { Caller, PartnerCaller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { mayOperate, SESSION_TOKEN_MS, type SessionWorld } from '@quipu/broker/access/session-tokens.ts'
import { newCredential } from '@quipu/broker/access/world-code.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import { formatInstant, hasServerRole, instantOfMs, isOpenAccount, owns, type WorldId } from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import { requestUrl } from '../../connection/host.ts'
import { sourceOf } from '../../connection/origin.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { operatorOf } from '../../forwarding/peer-caller.ts'
import { isOpenElsewhere } from '../../forwarding/remote-worlds.ts'
import { worldNamed } from '../../sim/world-named.ts'
import { isSameSessionForm, operatorUntil, signedIn } from './browser.ts'

type Me = NonNullable<ReturnType<typeof signedIn>>

/** How pages of this server call the API: the cookie allows only these two operations, which issue tokens. */
export const sessionHandlers = {
  getBrowserSession: async (_, context) => {
    const { world, user, session, csrf } = sessionOf(context)
    const accounts = await context.state.read(world, (view) =>
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
      auditor: user.auditor === true,
      operator_until: until === undefined ? null : formatInstant(until),
      form_token: csrf,
      api_url: requestUrl(context.request, context.services),
      world: world.id,
      expires_at: formatInstant(instantOfMs(session.endsAtMs)),
      accounts,
    }
  },

  issueSessionToken: async ({ body }, context) => {
    // A form of another site can send neither this content type nor the origin of this server.
    const type = context.request.headers['content-type'] ?? ''
    if (!/^application\/json\b/i.test(type))
      throw refuse({ code: 'unsupportedMediaType', expected: 'application/json', received: type })
    if (sourceOf(context.request, context.services) !== 'own') throw refuse({ code: 'forbidden' })
    const me = sessionOf(context)
    if (!isSameSessionForm(context, body.form_token)) throw refuse({ code: 'forbidden' })
    const nowMs = Date.now()
    const { caller, opens } = await rightsFor(me, body, context, nowMs)
    context.state.world = caller.world
    // The world of the session checks the token, also one that opens another world.
    const token = newCredential(me.world.access.code, 'base64url')
    context.services.worlds.access.credentials.sessionTokens.issue(digestOf(token), me, caller, nowMs, opens)
    const isByRights = caller.kind === 'partner' || caller.isByOperator
    const rightsMs = isByRights ? (me.session.operatorUntilMs ?? 0) - nowMs : SESSION_TOKEN_MS
    const expires_in = Math.floor(Math.min(SESSION_TOKEN_MS, rightsMs) / 1000)
    return { access_token: token, token_type: 'Bearer', expires_in }
  },
} satisfies SomeHandlers

function sessionOf(context: Context): Me {
  const me = signedIn(context)
  if (!me) throw refuse({ code: 'unauthorized' })
  return me
}

/** With `opens` the caller is the operator whose rights open that world. */
type Rights = { readonly caller: Caller; readonly opens?: SessionWorld }

/** The rights of the token: one account of the user, or by operator rights any account, or an operator. */
async function rightsFor(
  { world: home, user, digest, session }: Me,
  { account_id, world: named, read_only: readOnly = false }: InputOf<'issueSessionToken'>['body'],
  context: Context,
  nowMs: number,
): Promise<Rights> {
  // An auditor has no token that changes anything.
  const auditor = user.auditor === true
  const { people } = context.services.worlds.access.credentials
  const shared = {
    credentialId: randomUUID(),
    session: { world: home, digest, id: session.id },
    readOnly: readOnly || people.isAuditor(user, session),
  }
  const { cluster } = context.services
  const accountId = account_id
  if (accountId !== undefined && (named ?? home.id) === home.id && owns(home.view, user.id, accountId))
    return { caller: { kind: 'account', world: home, ...shared, accountId } }
  if (accountId !== undefined && named === undefined) throw refuse({ code: 'accountNotFound' })
  // Checked before the names, so that only operators and auditors find out which worlds and accounts exist.
  if (!hasServerRole(user)) throw refuse({ code: 'forbidden' })
  if (!mayOperate(user, session, nowMs)) throw refuse({ code: 'operatorRightsNotRaised' })
  const rights = { ...shared, operator: !auditor, auditor }
  if (named !== undefined && named !== home.id && (await cluster?.view.isStored(named))) {
    const caller: PartnerCaller = { kind: 'partner', world: home, ...rights, ...partnerIn(home) }
    const opens = { world: named as WorldId, accountId }
    await assertOpen(context, caller, opens)
    return { caller, opens }
  }
  const world = named === undefined ? home : worldNamed(named, context)
  if (accountId === undefined) return { caller: { kind: 'partner', world, ...rights, ...partnerIn(world) } }
  if (!isOpenAccount(world.view, accountId)) throw refuse({ code: 'accountNotFound' })
  return { caller: { kind: 'account', world, ...shared, accountId, isByOperator: true } }
}

function partnerIn({ view }: World): Pick<PartnerCaller, 'partnerId'> {
  const [partnerId] = view.partners.keys()
  if (!partnerId) throw refuse({ code: 'forbidden' })
  return { partnerId }
}

/** Refuses an account that a stored world does not have. Any node may hold the world. */
async function assertOpen(
  { services }: Context,
  caller: PartnerCaller,
  { world, accountId }: SessionWorld,
): Promise<void> {
  if (accountId === undefined) return
  const isOpen = await isOpenElsewhere(services, { world, operator: operatorOf(caller), accountId })
  if (!isOpen) throw refuse({ code: 'accountNotFound' })
}
