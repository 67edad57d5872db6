import { computed, signal } from '@preact/signals'
import { worldName, worlds } from '../session/selection.ts'

const SETTING = 'quipu-speeds'
const DEFAULT = 60
/** A browser remembers the speeds of this many worlds. */
const WORLDS_MAX = 50

function stored(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(localStorage.getItem(SETTING) ?? '{}') as Record<string, number>
  } catch {
    return {}
  }
}

/** The speed that the viewer chose in each world. */
const chosen = signal(stored())

/** The speed that play uses in the world on screen. A fork begins with that of its parent. */
export const chosenSpeed = computed(() => {
  const seen = new Set<string>()
  let name: string | undefined = worldName.value
  while (name !== undefined && !seen.has(name)) {
    const speed = chosen.value[name]
    if (speed !== undefined) return speed
    seen.add(name)
    name = worlds.value?.find(({ world }) => world === name)?.parent
  }
  return DEFAULT
})

export function rememberSpeed(speed: number): void {
  const { [worldName.peek()]: _, ...others } = chosen.peek()
  const kept = Object.entries(others).slice(1 - WORLDS_MAX)
  chosen.value = { ...Object.fromEntries(kept), [worldName.peek()]: speed }
  localStorage.setItem(SETTING, JSON.stringify(chosen.peek()))
}
