create table cursorDiskKV (key text unique on conflict replace, value blob);
insert into cursorDiskKV values
  ('composerData:c1', '{"composerId":"c1","fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"b3","type":1}]}'),
  ('composerData:c2', '{"composerId":"c2","fullConversationHeadersOnly":[{"bubbleId":"b4","type":1}]}'),
  ('bubbleId:c1:b3', '{"type":1,"text":"No, you put it in the wrong place. Never write the sum into `map.ts`.","createdAt":"2026-11-03T09:10:00.000Z"}'),
  ('bubbleId:c1:b2', '{"type":2,"text":"No, that is wrong. You must never do it.","createdAt":"2026-11-03T09:02:00.000Z"}'),
  ('bubbleId:c1:b1', '{"type":1,"text":"sum the map","createdAt":"2026-11-03T09:00:00.000Z"}'),
  ('bubbleId:c2:b4', '{"type":1,"text":"No, that is wrong. You must never do it.","createdAt":"2026-11-03T09:10:00.000Z"}');
