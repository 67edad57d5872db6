import { openMemoryAccess } from './memory.ts'
import { accessSuite } from './testing/access-suite.ts'

accessSuite(async () => openMemoryAccess(), false)
