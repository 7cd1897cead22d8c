import { exportTo } from '../store/moving/export.ts';
import { readVersion } from '../version.ts';
import { runMove } from './move.ts';

await runMove('export', (path, database) => exportTo(path, database, readVersion()));
