/** The choice of the dashboard and of the docs is one. */
const KEY = 'quipu-theme'

export type Theme = 'light' | 'dark'

/** The stored choice, or undefined if the page follows the system. Storage may be blocked. */
export function storedTheme(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY)
    return theme === 'light' || theme === 'dark' ? theme : undefined
  } catch {
    return undefined
  }
}

/** Whether the dashboard last showed this browser the screens of an operator. The server still checks every call. */
export function isKnownOperator(): boolean {
  try {
    return localStorage.getItem('quipu-operator') === 'yes'
  } catch {
    return false
  }
}

export function changeTheme(): void {
  const shown =
    document.documentElement.dataset['theme'] ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const theme: Theme = shown === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the choice ends with the page.
  }
}
