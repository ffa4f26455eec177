create table session (id text primary key, project_id text, parent_id text, directory text, title text, time_created integer);
create table message (id text primary key, session_id text, time_created integer, data text);
create table part (id text primary key, message_id text, session_id text, time_created integer, data text);
insert into session values ('ses_1', 'p', null, '$DIR', 'Double', 1793520000000), ('ses_2', 'p', null, '/elsewhere', 'Other', 1793520000000);
insert into message values
  ('msg_1', 'ses_1', 1793520000000, '{"role":"user"}'),
  ('msg_2', 'ses_1', 1793520060000, '{"role":"assistant"}'),
  ('msg_3', 'ses_1', 1793520600000, '{"role":"user"}'),
  ('msg_4', 'ses_2', 1793520600000, '{"role":"user"}');
insert into part values
  ('prt_1', 'msg_1', 'ses_1', 1, '{"type":"text","text":"double the map in map.ts"}'),
  ('prt_2', 'msg_1', 'ses_1', 2, '{"type":"text","synthetic":true,"text":"No, that is wrong. Never say this."}'),
  ('prt_3', 'msg_2', 'ses_1', 3, '{"type":"tool","tool":"edit","callID":"c1","state":{"status":"completed","input":{"filePath":"$DIR/map.ts","oldString":"1","newString":"2"},"output":"done","metadata":{}}}'),
  ('prt_4', 'msg_3', 'ses_1', 4, '{"type":"text","text":"No, that is wrong. Never edit `map.ts` by hand, you must run the generator."}'),
  ('prt_5', 'msg_4', 'ses_2', 5, '{"type":"text","text":"No, that is wrong. You must never do it."}');
