/** The colours of the tokens, as a canvas needs them. */
export type Colours = Readonly<Record<keyof typeof tokens | 'upSoft' | 'downSoft', string>>

const tokens = {
  ink: 'var(--ink)',
  soft: 'var(--soft)',
  faint: 'var(--faint)',
  line: 'var(--line)',
  edge: 'var(--edge)',
  sheet: 'var(--sheet)',
  accent: 'var(--accent)',
  warn: 'var(--warn)',
  up: 'var(--up-fill)',
  down: 'var(--down-fill)',
} as const

/** Reads the colours of the current theme. */
export function readColours(): Colours {
  const probe = document.createElement('span')
  document.body.append(probe)
  const read = (value: string): string => {
    probe.style.color = value
    return getComputedStyle(probe).color
  }
  const entries = Object.entries(tokens).map(([name, value]) => [name, read(value)])
  probe.remove()
  const colours = Object.fromEntries(entries) as Readonly<Record<keyof typeof tokens, string>>
  return { ...colours, upSoft: withAlpha(colours.up), downSoft: withAlpha(colours.down) }
}

const withAlpha = (color: string): string => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.34)')
