import { digestOf } from '@quipu/broker/access/credentials.ts'
import { issueKey } from '@quipu/broker/access/issue-keys.ts'
import type { InputOf } from '@quipu/contract'
import {
  type Account,
  definedFields,
  earlierAccount,
  found,
  itemAt,
  lookUp,
  NO_MONEY,
  type OpenAccount,
  settingsOf,
  type UserId,
  userFor,
  type View,
} from '@quipu/core'
import { accountStatus, reviewIn } from '../../wire/account-status.ts'
import { accountKeyToWire, brokerAccountToWire, detailsFrom } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { keyExpiry } from '../sim/keys.ts'
import { centsOf, positionsFrom } from '../trading/position-input.ts'
import {
  changeAccount,
  type PartnerAccess,
  partnerCaller,
  readAccount,
  withAccess,
} from './partner-access.ts'

export const brokerAccountHandlers = withAccess({
  createAccount: async ({ access, body }, context) => {
    const command = openCommand(access, body)
    return context.state.perform(access.world, command, (view, events) => {
      const opened = events.find((event) => event.kind === 'accountOpened')
      const account = opened ? view.accounts.get(opened.accountId) : earlierAccount(view, command)
      return brokerAccountToWire(found(account, 'the account'))
    })
  },

  listAccounts: ({ access, query }, context) =>
    context.state.read(access.world, (view) => accountsIn(view, access, query).map(brokerAccountToWire)),

  getAccountById: ({ access, params }, context) =>
    readAccount(context, access, params.account_id, (_, account) => brokerAccountToWire(account)),

  updateAccount: async ({ access, params, body }, context) => {
    const patch = detailsFrom(body) ?? '{}'
    const accountId = params.account_id
    const review = reviewIn(body['contact'])
    const change = { accountId, patch, ...partnerCaller(access), ...definedFields({ review }) }
    const command = { kind: 'updateAccount', ...change } as const
    return brokerAccountToWire(await changeAccount(context, access, command))
  },

  deleteAccount: close,
  closeAccount: close,

  resetAccount: async ({ access, params, body }, context) => {
    const { world } = access
    const accountId = params.account_id
    const command = {
      kind: 'resetAccount',
      accountId,
      cash: body.cash === undefined ? settingsOf(world.view).startingCash : centsOf(body.cash),
      positions: positionsFrom(world, body.positions),
      ...partnerCaller(access),
    } as const
    return context.state.perform(world, command, ({ accounts }) =>
      brokerAccountToWire(found(accounts.get(accountId), accountId)),
    )
  },

  listAccountKeys: ({ access, params }, context) => {
    const { keyUses } = context.services.worlds.access
    return readAccount(context, access, params.account_id, (view, { id }) =>
      [...view.keys.values()]
        .filter(({ owner }) => owner.kind === 'account' && owner.accountId === id)
        .map((key) => accountKeyToWire(key, keyUses.lastUse(access.world, key.id))),
    )
  },

  createAccountKey: async ({ access, params, body }, context) => {
    const { id: accountId, closedAt } = await readAccount(
      context,
      access,
      params.account_id,
      (_, found) => found,
    )
    if (closedAt !== undefined) throw refuse({ code: 'accountIsClosed' })
    const expiry = keyExpiry(access.world, body)
    const owner = { kind: 'account', accountId } as const
    const { keyId, secretKey } = await issueKey(access.world, owner, undefined, expiry)
    const key = await context.state.read(access.world, (view) => lookUp(view.keys, keyId))
    // Another request may have revoked the key in the meantime.
    if (!key) throw refuse({ code: 'keyNotFound', keyId })
    return { ...accountKeyToWire(key), secret_key: secretKey }
  },

  deleteAccountKey: async ({ access, params }, context) => {
    const keyId = params.key_id
    const owner = await readAccount(
      context,
      access,
      params.account_id,
      (view, { id }) => [view.keys.get(keyId)?.owner, id] as const,
    )
    const [found, accountId] = owner
    if (found?.kind !== 'account' || found.accountId !== accountId)
      throw refuse({ code: 'keyNotFound', keyId })
    const { world } = access
    await context.state.execute(world, { kind: 'revokeKey', keyId })
  },
})

async function close(
  {
    access,
    params,
    query,
  }: Pick<InputOf<'closeAccount'>, 'params' | 'query'> & { readonly access: PartnerAccess },
  context: Context,
): Promise<undefined> {
  const accountId = params.account_id
  const command = { kind: 'closeAccount', accountId, empty: query.empty, ...partnerCaller(access) } as const
  return context.state.perform(access.world, command, () => undefined)
}

function openCommand(
  { world, partnerId, limitedTo }: PartnerAccess,
  body: InputOf<'createAccount'>['body'],
): OpenAccount {
  const { client_account_id: id, user, cash, flavour } = body
  const owner = body.partner_id ?? partnerId
  if (limitedTo !== undefined && owner !== limitedTo) throw refuse({ code: 'partnerNotFound' })
  const positions = positionsFrom(world, body.positions)
  return {
    kind: 'openAccount',
    flavour,
    partnerId: owner,
    cash: cash === undefined ? NO_MONEY : centsOf(cash),
    ...definedFields({
      userId: user === undefined ? undefined : (userFor(world.view, user, limitedTo)?.id ?? UNKNOWN_USER),
      positions: positions.length === 0 ? undefined : positions,
      client: id === undefined ? undefined : { id, bodyHash: digestOf(JSON.stringify(body)) },
      details: detailsFrom(body),
      review: reviewIn(body['contact']) ?? undefined,
    }),
  }
}

/** No user has this id. The core refuses it, but only after the check for a repeated call. */
const UNKNOWN_USER = '' as UserId

/** Custody accounts of issuers are not listed: they belong to no user. */
export function accountsIn(
  view: View,
  { limitedTo }: Pick<PartnerAccess, 'limitedTo'>,
  query: InputOf<'listAccounts'>['query'],
): readonly Account[] {
  const all = [...view.accounts.values()].filter(
    (account) => account.issuer === undefined && (limitedTo === undefined || account.partnerId === limitedTo),
  )
  if (query.sort === 'desc') all.reverse()
  const start = query.page_token === undefined ? 0 : all.findIndex(({ id }) => id === query.page_token) + 1
  // An unknown page token returns an empty page.
  if (query.page_token !== undefined && start === 0) return []
  const matches = filterFrom(query)
  const page: Account[] = []
  for (let index = start; index < all.length && page.length < query.limit; index++) {
    const account = itemAt(all, index)
    if (matches(account)) page.push(account)
  }
  return page
}

function filterFrom(query: InputOf<'listAccounts'>['query']): (account: Account) => boolean {
  const { status, flavour } = query
  const after = query.created_after && instantOf(query.created_after)
  const before = query.created_before && instantOf(query.created_before)
  const words = (query.query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return (account) =>
    (flavour === undefined || account.flavour === flavour) &&
    (after === undefined || account.createdAt > after) &&
    (before === undefined || account.createdAt < before) &&
    (status === undefined || accountStatus(account) === status) &&
    words.every((word) => searchTextOf(account).includes(word))
}

const searchTextOf = ({ id, number, client, details }: Account): string =>
  `${id} ${number} ${client?.id ?? ''} ${details ?? ''}`.toLowerCase()
