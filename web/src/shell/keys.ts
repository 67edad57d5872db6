import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../keyboard.ts'
import { go, hrefOf } from '../router.ts'
import { screens } from '../screens.table.ts'
import { isOperator } from '../session/session.ts'
import { toggleTheme } from '../theme.ts'
import { toggleRail } from './rail.ts'

/** What lies over the screen: the palette, the form of an operation, or the list of keys. */
export const overlay = signal<'palette' | 'command' | 'keys' | undefined>(undefined)

/** The keys that work on every screen. */
export function useShellKeys(): void {
  useLayoutEffect(() => {
    const shown = screens.filter(({ who }) => who === 'user' || isOperator.value)
    return addKeys(
      [
        { key: '/', does: 'Search or run a command', run: () => open('palette') },
        { key: 'Ctrl+k', does: 'Search or run a command', run: () => open('palette') },
        { key: '?', does: 'Show all keys', run: () => open('keys') },
        { key: 't', does: 'Change between light and dark', run: toggleTheme },
        { key: '\\', does: 'Narrow or wide navigation', run: toggleRail },
        { key: 'g d', does: 'Go to Docs', run: () => location.assign('docs') },
        ...shown.map(({ key, title, name }) => ({
          key: `g ${key}`,
          does: `Go to ${title}`,
          run: () => go(hrefOf(name)),
        })),
      ],
      'Everywhere',
    )
  }, [isOperator.value])
}

function open(what: 'palette' | 'keys'): void {
  overlay.value = what
}
