import { computed, signal } from '@preact/signals'
import type { WireOrder as Order } from '@quipu/sdk'
import { clocks } from '../../live/clock.ts'
import { DEMO } from '../../live/first-steps.ts'
import { toast } from '../../parts/toasts.tsx'
import { go, hrefOf } from '../../router.ts'
import { actingOperator, connect, operator } from '../../session/connections.ts'
import { keepKeys } from '../../session/new-keys.ts'
import { type World, worlds } from '../../session/selection.ts'
import { showNewWorld } from '../../shell/show-new-world.ts'
import { DEMO_END, demoTime, playDemoDay } from './demo-day.ts'

/** The demo world, if it is there. */
export const demoWorld = computed<World | undefined>(() => worlds.value?.find(({ world }) => world === DEMO))

/** The time of the day that is being played, and why the last attempt failed. */
export const playing = signal<string | undefined>(undefined)
export const demoProblem = signal<Error | undefined>(undefined)

/** The time of the demo. The list of worlds has the time of its last change of settings, the clock the newest one. */
export const demoNowMs = computed(() =>
  Date.parse(clocks.value.get(DEMO)?.now ?? demoWorld.value?.now ?? '1970-01-01'),
)

/** The day was played to its end. */
export const isDemoReady = computed(
  () =>
    demoWorld.value !== undefined && playing.value === undefined && demoNowMs.value >= Date.parse(DEMO_END),
)

/** Creates the demo world and plays its day, unless it is there. Returns whether it is ready. */
export async function makeDemoWorld(): Promise<boolean> {
  if (playing.peek() !== undefined || worlds.peek() === undefined) return false
  if (demoWorld.peek() !== undefined) return true
  playing.value = 'December'
  demoProblem.value = undefined
  try {
    const created = await playDemoDay({
      world: DEMO,
      client: actingOperator().client,
      account: ({ accounts: [first] }) =>
        connect({ kind: 'account', world: DEMO, accountId: first!.account_id }).quipu,
      onProgress: (time) => {
        playing.value = time
      },
    })
    keepKeys(created)
    return true
  } catch (error) {
    demoProblem.value = error as Error
    return false
  } finally {
    playing.value = undefined
  }
}

/** The order of the demo that did not fill. */
export const missedOrder = signal<Order | undefined>(undefined)

export async function readMissedOrder(): Promise<void> {
  const query = { status: 'all' as const, limit: 100 }
  const orders = await operator().client.listWorldOrders({ params: { world: DEMO }, query })
  missedOrder.value = orders.find(({ client_order_id: id }) => id === 'dip-buyer-2')
}

/** The address of something in the demo world. */
export const demoHref = (screen: 'workspace' | 'worlds' | 'orders', item?: string): string =>
  hrefOf(screen, item, { world: DEMO, account: undefined })

/** Forks the demo before its crash, and shows the fork beside it. */
export async function forkDemoDay(): Promise<void> {
  const at = demoTime('10:20:00')
  const fork = await actingOperator().client.forkWorld({ params: { world: DEMO }, body: { at } })
  toast(`Forked ${DEMO} at 10:20. You see the fork ${fork.world}.`)
  await showNewWorld(fork, () => go(hrefOf('worlds', undefined, { world: fork.world, account: undefined })))
}
