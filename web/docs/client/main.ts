import { followContents, showCurrentPage } from './contents.ts'
import { addCopyButtons } from './copy.ts'
import { startSearch } from './search-box.ts'
import { makeTabs } from './tabs.ts'
import { changeTheme } from './theme-choice.ts'

document.querySelector('button.theme')?.addEventListener('click', changeTheme)
makeTabs()
addCopyButtons()
followContents()
showCurrentPage()
startSearch()
