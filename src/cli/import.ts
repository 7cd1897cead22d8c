import { importFrom } from '../store/moving/import.ts';
import { runMove } from './move.ts';

await runMove('import', importFrom);
