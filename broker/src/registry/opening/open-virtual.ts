import { type Instant, type Job, linkKey, type WorldId } from '@quipu/core'
import { MAIN_CODE } from '../../access/world-code.ts'
import { VirtualClock } from '../../clock/virtual.ts'
import { WallClock } from '../../clock/wall.ts'
import { NotApplied } from '../../journal/not-applied.ts'
import type { RunJob } from '../../world/jobs.ts'
import { OutcomeUnknown } from '../../world/submitted.ts'
import { openWorld, type World, type WorldParts } from '../../world/world.ts'
import { type WithAsk, withJournals } from '../ask-world.ts'
import type { DurableWorld } from '../durable.ts'
import { type ForkPoint, outcomesOf, type VirtualStore } from '../virtual-store.ts'
import type { Held } from './held.ts'

/** The parts of all worlds. */
export type SharedParts = Pick<
  WorldParts,
  'runJob' | 'queueMax' | 'queryTablesLagMax' | 'queryTablesWaitMs' | 'outcomes'
> & {
  readonly market: (
    ...args: [...Parameters<WorldParts['market']>, world: WorldId]
  ) => ReturnType<WorldParts['market']>
  readonly failed: (world: WorldId, error: unknown) => void
}

/** How a virtual world began. A reset returns to it. */
export type Origin = {
  /** The time of its clock. */
  readonly at: Instant
  /** The last event of its creation. */
  readonly seq: number
  readonly fork?: ForkPoint | undefined
  /** The last event that came from a file, or from the parent of a durable fork. */
  readonly loaded?: number | undefined
}

export type NewWorld = {
  readonly id: WorldId
  readonly start: Instant
  readonly store: VirtualStore
  readonly parent?: WorldId | undefined
  readonly fork?: ForkPoint | undefined
  readonly loaded?: number | undefined
  readonly durable?: DurableWorld | undefined
  /** It runs on the wall clock, as `main` does. */
  readonly isWall?: boolean | undefined
  /** Default: the market of its settings. */
  readonly market?: WorldParts['market'] | undefined
}

/** Whether a world began with the events of another one. */
export const isCopy = ({ parent, loaded }: Pick<NewWorld, 'parent' | 'loaded'>): boolean =>
  parent !== undefined || loaded !== undefined

/** See `credentialsDropped`. Before the index of credentials reads them. */
export const dropCredentials = (world: World, of: 'copy' | 'reset'): Promise<unknown> =>
  world.commands.submit({ kind: 'dropCredentials', of }, () => undefined)

/** Without a clock, the world runs on the wall clock. */
export type OpenedWorld = { readonly world: World; readonly clock?: VirtualClock }

/** Opens a world with a clock that is stopped at `start`, or on the wall clock. */
export async function openVirtual(
  parts: SharedParts & WithAsk,
  held: Held,
  wanted: NewWorld,
): Promise<OpenedWorld> {
  const { id, start, store, durable, isWall, market } = wanted
  const failed = (error: unknown) => parts.failed(id, error)
  const identity = durable?.identity
  const sender = identity && { ledgerId: identity.ledgerId, partnerOf: () => identity.partner }
  let opened: World | undefined
  const moved = durable && storingClock(durable)
  // A clock that runs finds at each tick that the world is down, which the world has reported.
  const clockFailed = (error: unknown) => error instanceof NotApplied || failed(error)
  const clock = isWall
    ? undefined
    : new VirtualClock(start, async () => opened?.commands.quiet(), clockFailed, moved)
  opened = await openWorld({
    ...parts,
    ...store,
    market: market ?? ((settings, state) => parts.market(settings, state, id)),
    runJob: withJournals(
      isCopy(wanted) ? withoutExternalCalls(parts.runJob) : parts.runJob,
      parts.askWorld,
      sender,
    ),
    id,
    code: identity?.code ?? MAIN_CODE,
    clock: clock ?? new WallClock(failed),
    failed,
    outcomes: outcomesOf(parts.outcomes, store, durable !== undefined),
  })
  const world = opened
  held.begun(() => world.close())
  return { world, ...(clock && { clock }) }
}

/** A time that may not be stored must not be acknowledged. */
const storingClock =
  (durable: DurableWorld) =>
  (now: Instant, isRunning: boolean): Promise<void> =>
    durable.moved(now, isRunning).catch((error) => {
      throw new OutcomeUnknown(error)
    })

/**
 * Runs the jobs of a fork. A call to an external issuer belongs to the parent, so the fork puts the request on hold
 * instead; the operator can complete it. All other jobs run as usual.
 */
const withoutExternalCalls =
  (run: RunJob): RunJob =>
  async (world, jobId) => {
    const job = world.view.jobs.get(jobId)
    if (!job || !isExternal(world, job)) return run(world, jobId)
    try {
      holdInstead(world, job)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }

function isExternal({ view }: World, { requestId, issuer }: Job): boolean {
  const code = issuer ?? (requestId && view.requests.get(requestId)?.issuer)
  return code !== undefined && view.issuers.get(code)?.mode === 'external'
}

function holdInstead(world: World, { kind, requestId, accountId, issuer }: Job): void {
  // The request has ended, so there is nothing to hold.
  if (requestId && kind === 'issuerReject')
    world.commands.submitInternal({ kind: 'answerRejection', requestId })
  else if (requestId)
    world.commands.submitInternal({ kind: 'forceRequest', requestId, outcome: { to: 'hold' } })
  else if (issuer && world.view.links.has(linkKey(accountId, issuer)))
    world.commands.submitInternal({
      kind: 'answerLink',
      accountId,
      issuer,
      response: { ok: false, reason: 'a fork does not call external issuers' },
    })
}
