import { computed, signal } from '@preact/signals'
import { remembered } from '../../session/remembered.ts'

/** The panes beside the chart, and their sizes in pixels. */
export const panes = {
  watchlist: { title: 'Watchlist', size: 236, min: 72, max: 420 },
  ticket: { title: 'Ticket', size: 296, min: 272, max: 440 },
  blotter: { title: 'Blotter', size: 248, min: 112, max: 640 },
} as const
export type PaneName = keyof typeof panes
export const paneNames = Object.keys(panes) as readonly PaneName[]

/** A watchlist below this width shows symbols only. */
export const SYMBOLS_ONLY_PX = 168
const CHART_MIN_PX = { width: 480, height: 240 } as const
const GAP_PX = 8

type Layout = {
  readonly sizes: Readonly<Partial<Record<PaneName, number>>>
  readonly hidden: readonly PaneName[]
}

export const layout = remembered<Layout>('workspace-layout', { sizes: {}, hidden: [] }, layoutOf)

function layoutOf(stored: unknown): Layout | undefined {
  const { sizes, hidden } = (stored ?? {}) as Partial<Layout>
  if (typeof sizes !== 'object' || sizes === null || !Array.isArray(hidden)) return undefined
  const known = paneNames.flatMap((name) => {
    const size = sizes[name]
    return Number.isFinite(size) ? [[name, size]] : []
  })
  return { sizes: Object.fromEntries(known), hidden: paneNames.filter((name) => hidden.includes(name)) }
}

/** The space of all panes; a large one until it is measured. */
export const area = signal<{ readonly width: number; readonly height: number }>({ width: 1400, height: 800 })

export const isHidden = (name: PaneName): boolean => layout.value.hidden.includes(name)

/** The sizes as they are drawn. If the chart would be too small, the watchlist gives way first, then the ticket. */
export const sizes = computed<Readonly<Record<PaneName, number>>>(() => {
  const wanted = (name: PaneName): number =>
    isHidden(name) ? 0 : bounded(name, layout.value.sizes[name] ?? panes[name].size)
  const { width, height } = area.value
  const gaps = (name: PaneName): number => (isHidden(name) ? 0 : GAP_PX)
  const free = width - CHART_MIN_PX.width - gaps('watchlist') - gaps('ticket')
  const ticket = Math.max(Math.min(wanted('ticket'), free - panes.watchlist.min), minOf('ticket'))
  const space = free - ticket
  const asked = wanted('watchlist')
  const watchlist = asked <= space ? asked : space >= SYMBOLS_ONLY_PX ? space : minOf('watchlist')
  const blotterMax = Math.max(height - CHART_MIN_PX.height - gaps('blotter'), minOf('blotter'))
  return { watchlist, ticket, blotter: Math.min(wanted('blotter'), blotterMax) }
})

const minOf = (name: PaneName): number => (isHidden(name) ? 0 : panes[name].min)

const bounded = (name: PaneName, size: number): number =>
  Math.round(Math.min(Math.max(size, panes[name].min), panes[name].max))

/** Changes the size of a pane; undefined gives it the first size again. */
export function resize(name: PaneName, size: number | undefined): void {
  const { [name]: _, ...others } = layout.value.sizes
  layout.set({
    ...layout.value,
    sizes: size === undefined ? others : { ...others, [name]: bounded(name, size) },
  })
}

export function togglePane(name: PaneName): void {
  const { hidden } = layout.value
  layout.set({
    ...layout.value,
    hidden: hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name],
  })
}

export const resetLayout = (): void => layout.set({ sizes: {}, hidden: [] })
