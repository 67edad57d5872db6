/** How the dashboard looks; stays in this browser. */
export type Theme = 'system' | 'light' | 'dark'
export type GainColours = 'teal' | 'blue' | 'east' | 'mono'

const root = document.documentElement

export const themeNow = (): Theme => (localStorage.getItem('quipu-theme') as Theme | null) ?? 'system'
export const coloursNow = (): GainColours =>
  (localStorage.getItem('quipu-gain-colours') as GainColours | null) ?? 'teal'

export function setTheme(theme: Theme): void {
  localStorage.setItem('quipu-theme', theme)
  applyTheme()
}

export function setColours(colours: GainColours): void {
  localStorage.setItem('quipu-gain-colours', colours)
  applyTheme()
}

/** Changes between light and dark. */
export function toggleTheme(): void {
  const isDark =
    getComputedStyle(root).colorScheme === 'dark' ||
    (themeNow() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  setTheme(isDark ? 'light' : 'dark')
}

// A system that changes to dark in the evening changes the charts too.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme())

export function applyTheme(): void {
  const [theme, colours] = [themeNow(), coloursNow()]
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
  if (colours === 'teal') delete root.dataset['pl']
  else root.dataset['pl'] = colours
  // Charts on a canvas read the colours once, so they draw again.
  dispatchEvent(new Event('quipu-theme'))
}
