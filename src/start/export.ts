import { exportTo } from '../store/moving/export.ts';
import { runMove } from './move.ts';
import { readVersion } from './version.ts';

await runMove('export', (path, database) => exportTo(path, database, readVersion()));
