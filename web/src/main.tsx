import { render } from 'preact'
import { App } from './app.tsx'
import { listenToKeys } from './keyboard.ts'
import { followClock } from './live/clock.ts'
import { followActions } from './live/corporate-actions.ts'
import { followSelection } from './live/current.ts'
import { followFills } from './live/fill-notices.ts'
import { followWorlds } from './live/worlds.ts'
import { followLinks } from './router.ts'
import { noteRights, readSession } from './session/session.ts'
import { applyTheme } from './theme.ts'

applyTheme()
followLinks()
listenToKeys()
followSelection()
followWorlds()
followClock()
followActions()
noteRights()
followFills()
render(<App />, document.body)
void readSession()
