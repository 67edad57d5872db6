import { openMemoryAccess } from './access-store.ts'
import { accessSuite } from './testing/access-suite.ts'

accessSuite(async () => openMemoryAccess(), false)
