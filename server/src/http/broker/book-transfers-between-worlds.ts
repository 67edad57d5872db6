import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import type { DurableRecord } from '@quipu/broker/registry/durable-storage.ts'
import { ledgerOf } from '@quipu/broker/registry/world-response.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { InputOf } from '@quipu/contract'
import {
  type AccountId,
  accountOf,
  BOOK_TRANSFERS,
  type BookTransfer,
  type LedgerId,
  type MakeBookTransfer,
  type PartnerId,
  pendingBookTransfer,
  type SendBookTransfer,
  storedCall,
  type WorldId,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import type { PartnerAccess } from './partner-access.ts'

type Body = InputOf<'createJournal'>['body']

/** The command of a book transfer to another world, if the body names another one. */
export async function commandToWorld(
  context: Context,
  access: PartnerAccess,
  { to_world: name }: Body,
  command: MakeBookTransfer,
): Promise<MakeBookTransfer | SendBookTransfer> {
  if (name === undefined || name === access.world.id) return command
  const toWorld = name as WorldId
  await checkTarget(context, partnerOf(context, access, command.from), toWorld)
  return { ...command, kind: 'sendBookTransfer', toWorld, ledgerId: ledgerHere(context, access) }
}

/** The partner of `main` that the sender belongs to. */
function partnerOf(
  { services: { worlds } }: Context,
  { world, limitedTo }: PartnerAccess,
  from: AccountId,
): PartnerId | undefined {
  const account = accountOf(world.view, from, limitedTo)
  if (!account) throw refuse({ code: 'accountNotFound' })
  return world.id === MAIN ? account.partnerId : worlds.entry(world.id)?.partner
}

/** A world of another partner answers as one that does not exist. */
async function checkTarget(
  context: Context,
  partnerId: PartnerId | undefined,
  toWorld: WorldId,
): Promise<void> {
  const { worlds, cluster } = context.services
  const target = worlds.entry(toWorld)
  const known = target ?? (cluster && (await recordIn(cluster, toWorld)))
  if (!known || partnerId === undefined || (toWorld !== MAIN && known.partner !== partnerId))
    throw refuse({ code: 'worldNotFound', world: toWorld })
  if (target && !ledgerOf(target)) throw notDurable(toWorld)
}

/** The record of a world on another node, which is durable. `main` has none. */
async function recordIn(
  cluster: Cluster,
  world: WorldId,
): Promise<Pick<DurableRecord, 'partner'> | undefined> {
  const { view } = cluster
  if (!view.row(world)) await view.refresh()
  const row = view.row(world)
  return row && (row.record ?? {})
}

function ledgerHere({ services: { worlds } }: Context, { world }: PartnerAccess): LedgerId {
  const entry = worlds.entry(world.id)
  const ledgerId = entry && ledgerOf(entry)
  if (!ledgerId) throw notDurable(world.id)
  return ledgerId
}

const notDurable = (world: WorldId) =>
  refuse({
    code: 'invalidParameter',
    problem: `to_world: world ${world} is not durable; both worlds of a journal must be`,
  })

/** A stored book transfer with its current status. The result of a book transfer to another world is stored under its id. */
export async function withStatus(
  context: Context,
  { world }: PartnerAccess,
  bookTransfer: BookTransfer,
): Promise<BookTransfer> {
  if (bookTransfer.status !== 'pending') return bookTransfer
  const known = await context.state.read(
    world,
    (view) => pendingBookTransfer(view, bookTransfer.id) ?? bookTransferIn(storedCall(view, bookTransfer.id)),
  )
  if (known) return known
  const stored = await world.storage.queryTables.callByKey(BOOK_TRANSFERS, bookTransfer.id)
  const result = bookTransferIn(stored)
  if (!result) throw new Error(`bug: book transfer ${bookTransfer.id} has no result`)
  return result
}

const bookTransferIn = (call: ReturnType<typeof storedCall>): BookTransfer | undefined =>
  call?.led.kind === 'bookTransfer' ? call.led.bookTransfer : undefined
