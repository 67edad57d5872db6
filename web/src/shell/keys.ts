import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../keyboard.ts'
import { go, hrefOf } from '../router.ts'
import { screens } from '../screens.table.ts'
import { isOperator } from '../session/session.ts'
import { openStoryHere } from '../story/story-key.ts'
import { toggleTheme } from '../theme.ts'
import { toggleRail } from './rail.ts'

/** What lies over the screen: the palette, the form of an operation, or the list of keys. */
export const overlay = signal<'palette' | 'command' | 'keys' | undefined>(undefined)

/** The keys that work on every screen. */
export function useShellKeys(): void {
  useLayoutEffect(() => {
    const shown = screens.filter(({ who }) => who === 'user' || isOperator.value)
    const ends = [
      addKeys('Everywhere', {
        '/': () => open('palette'),
        'Ctrl+k': () => open('palette'),
        '?': () => open('keys'),
        w: openStoryHere,
        t: toggleTheme,
        '\\': toggleRail,
      }),
      addKeys('Go to', {
        'g d': () => location.assign('docs'),
        ...Object.fromEntries(shown.map(({ key, name }) => [`g ${key}`, () => go(hrefOf(name))])),
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [isOperator.value])
}

function open(what: 'palette' | 'keys'): void {
  overlay.value = what
}
