// Runs before the page is drawn: it applies the theme that the reader chose, and shows what needs scripts.
import { storedTheme } from './theme-choice.ts'

const theme = storedTheme()
if (theme !== undefined) document.documentElement.dataset['theme'] = theme
document.documentElement.classList.add('js')
