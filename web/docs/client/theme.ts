// Runs before the page is drawn: it applies the theme that the reader chose, and shows what needs scripts.
import { isKnownOperator, storedTheme } from './theme-choice.ts'

const theme = storedTheme()
if (theme !== undefined) document.documentElement.dataset['theme'] = theme
if (isKnownOperator()) document.documentElement.classList.add('operator')
document.documentElement.classList.add('js')
