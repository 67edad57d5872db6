import { randomBytes } from 'node:crypto'
import { isCommonPassword } from '@quipu/broker/access/common-passwords.ts'
import { openAccount } from '@quipu/broker/access/issue-keys.ts'
import { hashGeneratedPassword, hashPassword } from '@quipu/broker/access/password.ts'
import { issueSignInLink } from '@quipu/broker/access/sign-in-link.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { OutputOf } from '@quipu/contract'
import {
  type AccountId,
  definedFields,
  formatInstant,
  found,
  hasServerRole,
  instantOfMs,
  lookUp,
  nameKey,
  owns,
  type PartnerId,
  settingsOf,
  type User,
  type UserId,
  userFor,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { publicUrlOf } from '../connection/host.ts'
import type { Context } from '../context.ts'
import { isFromMachine } from '../forwarding/from-machine.ts'
import { centsOf } from '../trading/position-input.ts'
import { withWorld } from './world-named.ts'

type UserRecord = OutputOf<'getUser'>

/** A sign-in link is valid for one hour. */
const LINK_MS = 3_600_000

/** User administration by operators. Passwords are hashed before they become part of a command. */
export const userHandlers = withWorld({
  listUsers: ({ world }, context) =>
    context.state.read(world, (view) => [...view.users.values()].map((user) => userToWire(view, user))),

  createUser: async ({ world, body }, context) => {
    const { name, operator, auditor } = body
    checkRights(world, body)
    const accountIds = accountsOf(world, body.account_ids)
    const partnerId = body.accounts.length === 0 ? undefined : partnerOf(world)
    checkPassword(body.password, name)
    const generated = newPassword()
    const isGenerated = body.password === undefined
    const password = isGenerated ? hashGeneratedPassword(generated) : await hashPassword(body.password)
    const events = await context.state.execute(world, { kind: 'addUser', name, password, operator, auditor })
    const added = found(
      events.find((event) => event.kind === 'userAdded'),
      'the user',
    )
    const { userId } = added
    for (const accountId of accountIds) await assign(context, world, accountId, userId)
    for (const { flavour, cash } of body.accounts)
      await openAccount(world, {
        flavour,
        cash: cash === undefined ? settingsOf(world.view).startingCash : centsOf(cash),
        partnerId: found(partnerId, 'a partner'),
        userId,
      })
    return { ...(await readUser(context, world, userId)), password: isGenerated ? generated : undefined }
  },

  getUser: ({ world, params }, context) => readUser(context, world, userOf(world, params.user).id),

  changeUser: async ({ world, params, body }, context) => {
    const user = userOf(world, params.user)
    const { id: userId, name } = user
    const { account_ids, password, ...fields } = body
    checkRights(world, fields)
    checkPassword(password, fields.name ?? name)
    if (password !== undefined) await checkOwnPassword(context, world, user)
    const accountIds = account_ids && accountsOf(world, account_ids)
    const change = definedFields({
      ...fields,
      password: password === undefined ? undefined : await hashPassword(password),
    })
    if (Object.keys(change).length > 0)
      await context.state.execute(world, { kind: 'changeUser', userId, ...change })
    if (accountIds) await assignOnly(context, world, userId, accountIds)
    return readUser(context, world, userId)
  },

  deleteUser: async ({ world, params }, context) => {
    const { id: userId } = userOf(world, params.user)
    await context.state.execute(world, { kind: 'removeUser', userId })
  },

  createSignInLink: async ({ world, params, body: { operator } }, context) => {
    const user = userOf(world, params.user)
    if (operator && !(world.access.hasOperators && hasServerRole(user)))
      throw refuse({ code: 'userNotOperator' })
    const { people } = context.services.worlds.access.credentials
    const mainEpoch = world.access.hasOperators ? undefined : (await people.find(user))?.epoch
    const link = await issueSignInLink(world, user.id, LINK_MS, { operator, mainEpoch })
    if (!link) throw refuse({ code: 'userNotFound' })
    return { url: link.at(publicUrlOf(context.services)), expires_at: timeOf(link.endsAtMs) }
  },

  resetSecondFactors: async ({ world, params }, context) => {
    const { id: userId } = userOf(world, params.user)
    if (!isFromMachine(context.services, context.request)) throw refuse({ code: 'recoveryNotLocal' })
    await context.state.execute(world, { kind: 'removeFactors', userId })
    await context.state.execute(world, { kind: 'signOut', userId })
  },

  listUserSessions: async ({ world, params }, context) => {
    const { id } = userOf(world, params.user)
    const sessions = await context.state.read(world, (view) => sessionsOf(view, id))
    const { addresses } = context.services.worlds.access
    const known = await addresses.resolve(sessions.flatMap(({ from }) => from ?? []))
    return sessions.map(({ from, ...session }) => {
      const address = from && known.get(from)
      return address ? { ...session, from: address } : session
    })
  },

  endUserSessions: async ({ world, params, query }, context) => {
    const { id: userId } = userOf(world, params.user)
    const { session_id } = query
    if (session_id === undefined) await context.state.execute(world, { kind: 'signOut', userId })
    else
      for (const [session, known] of world.view.sessions)
        if (known.id === session_id && known.userId === userId)
          await context.state.execute(world, { kind: 'signOut', session })
  },
})

/** Only people of `main` can have rights over the server. */
function checkRights(
  { access }: World,
  { operator = false, auditor = false }: Partial<Record<'operator' | 'auditor', boolean | undefined>>,
): void {
  if (access.hasOperators || !(operator || auditor)) return
  const field = operator ? 'operator' : 'auditor'
  const problem = `${field}: expected false, because only people of main have rights over the server`
  throw refuse({ code: 'invalidParameter', problem })
}

/** A person of `main` has one password, which ends with the person. */
async function checkOwnPassword({ services }: Context, world: World, user: User): Promise<void> {
  if (world.access.hasOperators || !(await services.worlds.access.credentials.people.find(user))) return
  const problem = `password: expected none, because ${user.name} signs in with the password of main; change it there`
  throw refuse({ code: 'invalidParameter', problem })
}

/** A password with the user name in it, or one that many people use, is easy to guess. */
function checkPassword(password: string | undefined, name: string): void {
  if (password === undefined) return
  const problem = nameKey(password).includes(nameKey(name))
    ? 'password: expected text that does not contain the name'
    : isCommonPassword(password)
      ? 'password: expected one that is not common; several unrelated words are a good one'
      : undefined
  if (problem !== undefined) throw refuse({ code: 'invalidParameter', problem })
}

/** Finds a user by id or name. */
function userOf({ view }: World, idOrName: string): User {
  const user = userFor(view, idOrName)
  if (!user) throw refuse({ code: 'userNotFound' })
  return user
}

/** Checks that accounts can be assigned to a user; the error names the first that cannot. */
function accountsOf({ view }: World, ids: readonly string[]): readonly AccountId[] {
  for (const id of ids) {
    const account = lookUp(view.accounts, id)
    if (!account || account.issuer !== undefined || account.closedAt !== undefined)
      throw refuse({
        code: 'invalidParameter',
        problem: `account_ids: expected open accounts, received ${id}`,
      })
  }
  return ids as readonly AccountId[]
}

/** Accounts that operators open belong to the first partner. */
function partnerOf({ view }: World): PartnerId {
  const [first] = view.partners.keys()
  if (!first) throw refuse({ code: 'partnerNotFound' })
  return first
}

const assign = (context: Context, world: World, accountId: AccountId, userId?: UserId) =>
  context.state.execute(world, { kind: 'assignAccount', accountId, ...definedFields({ userId }) })

/** Assigns these accounts and removes all other open accounts; closed accounts keep their owner. */
async function assignOnly(
  context: Context,
  world: World,
  userId: UserId,
  accountIds: readonly AccountId[],
): Promise<void> {
  for (const accountId of world.view.accounts.keys())
    if (owns(world.view, userId, accountId) && !accountIds.includes(accountId))
      await assign(context, world, accountId)
  for (const accountId of accountIds) await assign(context, world, accountId, userId)
}

/** Another request may have deleted the user in the meantime. */
async function readUser(context: Context, world: World, id: UserId): Promise<UserRecord> {
  const user = await context.state.read(world, (view) => {
    const found = view.users.get(id)
    return found && userToWire(view, found)
  })
  if (!user) throw refuse({ code: 'userNotFound' })
  return user
}

function userToWire(view: View, user: User): UserRecord {
  const { id, name, operator, auditor, disabled, createdAt } = user
  const accounts = [...view.accounts.values()]
    .filter((account) => owns(view, id, account.id))
    .map(({ id: account_id, number: account_number, flavour }) => ({ account_id, account_number, flavour }))
  return {
    user_id: id,
    name,
    operator: operator === true,
    auditor: auditor === true,
    disabled: disabled === true,
    accounts,
    sessions: sessionsOf(view, id).length,
    second_factors: factorsOf(user),
    created_at: formatInstant(createdAt),
  }
}

const factorsOf = ({ totp, passkeys = [] }: User): UserRecord['second_factors'] => [
  ...(totp ? (['authenticator_app'] as const) : []),
  ...passkeys.map(() => 'passkey' as const),
]

/** Only valid sessions; ended ones are removed when the next session begins. */
function sessionsOf({ sessions }: View, userId: UserId): OutputOf<'listUserSessions'> {
  const nowMs = Date.now()
  return [...sessions.values()]
    .filter((session) => session.userId === userId && session.endsAtMs > nowMs)
    .map(({ id, createdAt, endsAtMs, operatorUntilMs = 0, from }) => ({
      session_id: id,
      created_at: formatInstant(createdAt),
      ends_at: timeOf(endsAtMs),
      operator_until: operatorUntilMs > nowMs ? timeOf(operatorUntilMs) : undefined,
      from,
    }))
}

/** A time of the wall clock. */
const timeOf = (ms: number): string => formatInstant(instantOfMs(ms))

/** 120 random bits, short enough to type. */
const newPassword = (): string => randomBytes(15).toString('base64url')
