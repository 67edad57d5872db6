import { computed } from '@preact/signals'
import { place } from '../router.ts'
import type { ScreenName } from '../screens.table.ts'
import { remembered } from '../session/remembered.ts'
import { isNarrow } from '../session/window.ts'

/** Screens that need the width: there, and in narrow windows, the navigation is a rail unless the person chose otherwise. */
const dense: ReadonlySet<ScreenName> = new Set(['workspace', 'runs'])

const isDense = computed(
  () => isNarrow.value || (place.value.screen !== undefined && dense.has(place.value.screen)),
)

type Rails = { readonly dense: boolean; readonly other: boolean }

const rails = remembered<Rails>('rail', { dense: true, other: false }, (stored) => {
  const { dense, other } = (stored ?? {}) as Partial<Rails>
  return typeof dense === 'boolean' && typeof other === 'boolean' ? { dense, other } : undefined
})

/** Whether the navigation is a rail of icons. */
export const isRailed = computed(() => (isDense.value ? rails.value.dense : rails.value.other))

/** Changes the navigation of the screens that are like the current one. */
export const toggleRail = (): void =>
  rails.set({ ...rails.value, [isDense.peek() ? 'dense' : 'other']: !isRailed.peek() })
