import type { Handlers, InputOf } from '@quipu/contract'
import {
  type Account,
  type AccountId,
  found,
  type KeyId,
  NO_MONEY,
  type OpenAccount,
  type PersonId,
  personFor,
  settingsOf,
  type View,
} from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import { issueKey } from '../../access/issue-keys.ts'
import { accountStatus, reviewIn } from '../../wire/account-status.ts'
import { accountKeyToWire, brokerAccountToWire, detailsFrom } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { endOf } from '../sim/keys.ts'
import { centsOf, positionsFrom } from '../trading/given-positions.ts'
import { doneOnce } from './idempotency.ts'
import { askedBy, changed, type PartnerPlace, placeOf, readOf } from './partner-place.ts'

type Names =
  | 'createAccount'
  | 'listAccounts'
  | 'getAccountById'
  | 'updateAccount'
  | 'deleteAccount'
  | 'closeAccount'
  | 'resetAccount'
  | 'listAccountKeys'
  | 'createAccountKey'
  | 'deleteAccountKey'

export const brokerAccountHandlers: Handlers<Context, Names> = {
  createAccount: async ({ headers, body }, context) => {
    const place = placeOf(context, headers)
    const command = openingOf(place, body)
    const called = {
      key: headers['idempotency-key'],
      partnerId: place.partnerId,
      operation: 'account',
      body,
    }
    return doneOnce(context, place, command, called, (led, view) => {
      const account = led.kind === 'account' ? view.accounts.get(led.accountId) : undefined
      return brokerAccountToWire(found(account, 'the account'))
    })
  },

  listAccounts: async ({ headers, query }, context) => {
    const place = placeOf(context, headers)
    return context.saw(
      place.world,
      place.world.read((view) => listed(view, place, query).map(brokerAccountToWire)),
    )
  },

  getAccountById: ({ headers, params }, context) =>
    readOf(context, placeOf(context, headers), params.account_id, (_, account) =>
      brokerAccountToWire(account),
    ),

  updateAccount: async ({ headers, params, body }, context) => {
    const place = placeOf(context, headers)
    const patch = detailsFrom(body) ?? '{}'
    const accountId = params.account_id as AccountId
    const review = reviewIn(body['contact'])
    const of = { accountId, patch, ...askedBy(place) }
    const command = { kind: 'updateAccount', ...of, ...(review === undefined ? {} : { review }) } as const
    return brokerAccountToWire(await changed(context, place, command))
  },

  deleteAccount: close,
  closeAccount: close,

  resetAccount: async ({ headers, params, body }, context) => {
    const place = placeOf(context, headers)
    const { world } = place
    const account = await changed(context, place, {
      kind: 'resetAccount',
      accountId: params.account_id as AccountId,
      cash: body.cash === undefined ? settingsOf(world.view).startingCash : centsOf(body.cash),
      positions: positionsFrom(world, body.positions),
      ...askedBy(place),
    })
    return brokerAccountToWire(account)
  },

  listAccountKeys: ({ headers, params }, context) => {
    const place = placeOf(context, headers)
    const { keyUses } = context.services.worlds
    return readOf(context, place, params.account_id, (view, { id }) =>
      [...view.keys.values()]
        .filter(({ owner }) => owner.kind === 'account' && owner.accountId === id)
        .map((key) => accountKeyToWire(key, keyUses.lastUse(place.world, key.id))),
    )
  },

  createAccountKey: async ({ headers, params, body }, context) => {
    const place = placeOf(context, headers)
    const { id: accountId, closedAt } = await readOf(context, place, params.account_id, (_, found) => found)
    if (closedAt !== undefined) throw refuse({ code: 'accountIsClosed' })
    const ends = endOf(place.world, body)
    const owner = { kind: 'account', accountId } as const
    const { keyId, secretKey } = await issueKey(place.world, owner, undefined, ends)
    const key = await context.saw(
      place.world,
      place.world.read((view) => view.keys.get(keyId as KeyId)),
    )
    // Someone may have withdrawn it in the meantime.
    if (!key) throw refuse({ code: 'keyNotFound', keyId })
    return { ...accountKeyToWire(key), secret_key: secretKey }
  },

  deleteAccountKey: async ({ headers, params }, context) => {
    const place = placeOf(context, headers)
    const keyId = params.key_id as KeyId
    const owner = await readOf(
      context,
      place,
      params.account_id,
      (view, { id }) => [view.keys.get(keyId)?.owner, id] as const,
    )
    const [found, accountId] = owner
    if (found?.kind !== 'account' || found.accountId !== accountId)
      throw refuse({ code: 'keyNotFound', keyId })
    const { world } = place
    const decision = await context.saw(
      world,
      world.submit({ kind: 'revokeKey', keyId }, (_, decided) => decided),
    )
    if (!decision.ok) throw refuse(decision.reason)
    return undefined
  },
}

async function close(
  { headers, params, query }: Pick<InputOf<'closeAccount'>, 'headers' | 'params' | 'query'>,
  context: Context,
): Promise<undefined> {
  const place = placeOf(context, headers)
  const accountId = params.account_id as AccountId
  await changed(context, place, { kind: 'closeAccount', accountId, empty: query.empty, ...askedBy(place) })
  return undefined
}

function openingOf(
  { world, partnerId, sees }: PartnerPlace,
  body: InputOf<'createAccount'>['body'],
): OpenAccount {
  const { client_account_id: id, user, cash, flavour } = body
  const positions = positionsFrom(world, body.positions)
  const details = detailsFrom(body)
  const review = reviewIn(body['contact'])
  return {
    kind: 'openAccount',
    flavour,
    partnerId,
    ...(user === undefined ? {} : { personId: personFor(world.view, user, sees)?.id ?? NOBODY }),
    cash: cash === undefined ? NO_MONEY : centsOf(cash),
    ...(positions.length === 0 ? {} : { positions }),
    ...(id === undefined ? {} : { client: { id, bodyHash: digestOf(JSON.stringify(body)) } }),
    ...(details === undefined ? {} : { details }),
    ...(review ? { review } : {}),
  }
}

/** No person has this id. The core refuses it, after it has recognised a repeated call. */
const NOBODY = '' as PersonId

/** Those of issuers keep what stands behind tokens, and are nobody's. */
export function listed(
  view: View,
  { sees }: Pick<PartnerPlace, 'sees'>,
  query: InputOf<'listAccounts'>['query'],
): readonly Account[] {
  const all = [...view.accounts.values()].filter(
    (account) => account.issuer === undefined && (sees === undefined || account.partnerId === sees),
  )
  if (query.sort === 'desc') all.reverse()
  const start = query.page_token === undefined ? 0 : all.findIndex(({ id }) => id === query.page_token) + 1
  // A token that names nobody turns no page.
  if (query.page_token !== undefined && start === 0) return []
  const wanted = wantedBy(query)
  const page: Account[] = []
  for (let at = start; at < all.length && page.length < query.limit; at++)
    if (wanted(all[at]!)) page.push(all[at]!)
  return page
}

function wantedBy(query: InputOf<'listAccounts'>['query']): (account: Account) => boolean {
  const { status, flavour } = query
  const after = query.created_after && instantOf(query.created_after)
  const before = query.created_before && instantOf(query.created_before)
  const words = (query.query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return (account) =>
    (flavour === undefined || account.flavour === flavour) &&
    (after === undefined || account.createdAt > after) &&
    (before === undefined || account.createdAt < before) &&
    (status === undefined || accountStatus(account) === status) &&
    words.every((word) => toldOf(account).includes(word))
}

const toldOf = ({ id, number, client, details }: Account): string =>
  `${id} ${number} ${client?.id ?? ''} ${details ?? ''}`.toLowerCase()
