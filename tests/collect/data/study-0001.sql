BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE answer (
	id INTEGER NOT NULL, 
	participant_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	choice VARCHAR(16) NOT NULL, 
	seconds FLOAT NOT NULL, 
	n_blurs INTEGER NOT NULL, 
	device VARCHAR(8) NOT NULL, 
	received_at FLOAT NOT NULL, 
	undone BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (participant_id, number), 
	FOREIGN KEY(participant_id, number) REFERENCES serving (participant_id, number)
);
INSERT INTO "answer" VALUES(1,1,1,'0',0.0,0,'',1.79497442331561708446e+09,0);
INSERT INTO "answer" VALUES(2,1,2,'0',0.0,0,'',1.79497442332444620137e+09,0);
INSERT INTO "answer" VALUES(3,1,3,'0',0.0,0,'',1.79497442333235621451e+09,0);
INSERT INTO "answer" VALUES(4,2,1,'0',0.0,0,'',1.79497442334705448151e+09,0);
INSERT INTO "answer" VALUES(5,2,2,'0',0.0,0,'',1.79497442334942483902e+09,1);
INSERT INTO "answer" VALUES(6,2,4,'0',0.0,0,'',1.79497442336038637161e+09,0);
INSERT INTO "answer" VALUES(7,3,1,'0',0.0,0,'',1.79497442338009381289e+09,0);
INSERT INTO "answer" VALUES(8,3,2,'0',0.0,0,'',1.79497442338302826882e+09,0);
INSERT INTO "answer" VALUES(9,3,3,'0',0.0,0,'',1.79497442338528919217e+09,0);
INSERT INTO "answer" VALUES(10,3,4,'0',0.0,0,'',1.79497442338770651819e+09,0);
INSERT INTO "answer" VALUES(11,3,5,'0',0.0,0,'',1.7949744233901627064e+09,0);
INSERT INTO "answer" VALUES(12,3,6,'0',0.0,0,'',1.79497442339244294168e+09,0);
INSERT INTO "answer" VALUES(13,3,7,'0',0.0,0,'',1.79497442339482784273e+09,0);
INSERT INTO "answer" VALUES(14,3,8,'0',0.0,0,'',1.79497442339696979527e+09,0);
CREATE TABLE draw (
	id INTEGER NOT NULL, 
	sampler VARCHAR(16) NOT NULL, 
	seed INTEGER NOT NULL, 
	n_questions INTEGER NOT NULL, 
	last_answer INTEGER NOT NULL, 
	last_draw INTEGER NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "draw" VALUES(1,'adaptive',1826701615,24,0,0,1.79497442321224856378e+09);
CREATE TABLE event (
	id INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	participant_id INTEGER, 
	kind VARCHAR(32) NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "event" VALUES(1,1.79497442316453862188e+09,NULL,'settings','{"name": "Comparisons", "question": "triplet", "sampler": "adaptive", "random_share": 0.2, "people_per_question": 2, "questions_per_person": 8, "practice": 0, "break_every": 0, "catch_share": 0.0, "repeat_share": 0.0, "max_failed_catches": null, "min_seconds": 0.4, "abandon_after": 300.0, "cant_tell": true, "undo": true, "method": "tSTE-AL", "budget": null, "stable_trees": null, "pay_per_person": 0.0, "currency": "EUR", "completion_codes": {}, "completion_url": "", "seed": 0, "texts": {}}');
INSERT INTO "event" VALUES(2,1.79497442323902559285e+09,NULL,'owner logged in','{}');
INSERT INTO "event" VALUES(3,1.79497442329688549041e+09,1,'agreed','{}');
INSERT INTO "event" VALUES(4,1.794974423340814352e+09,2,'agreed','{}');
INSERT INTO "event" VALUES(5,1.79497442335330224033e+09,2,'undone','{"number": 2}');
INSERT INTO "event" VALUES(6,1.79497442335665178302e+09,2,'came back elsewhere','{"left": "ce78520db4c6b50dcfed8dfea35034b70758c43a428bf8221b4e69d0946754ce"}');
INSERT INTO "event" VALUES(7,1.79497442336818170552e+09,2,'asked to withdraw','{}');
INSERT INTO "event" VALUES(8,1.7949744233717238903e+09,3,'agreed','{}');
INSERT INTO "event" VALUES(9,1.79497442341169261936e+09,NULL,'withdrawn','{}');
INSERT INTO "event" VALUES(10,1.79497442341854381562e+09,3,'excluded','{"reason": "guesses"}');
CREATE TABLE owner (
	id INTEGER NOT NULL, 
	password_hash TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "owner" VALUES(1,'$argon2id$v=19$m=8,t=1,p=1$Q+iGGdj6RO6FXyMBQrbzhg$JeNCCqVGnlWKHPOVt8zh2YxicS/Qj5QV1njp19CzHrs',1.79497442323603582383e+09);
CREATE TABLE owner_session (
	token_hash VARCHAR(64) NOT NULL, 
	csrf VARCHAR(64) NOT NULL, 
	expires_at FLOAT NOT NULL, 
	PRIMARY KEY (token_hash)
);
INSERT INTO "owner_session" VALUES('b0e04599ca9061497a90a983f13a975aca4e95b4fcb7f1d71fb830d7b7f56cd7','KOGNNgMgqwrC-9ZQUTWJ25tDhab_qz7Q',1.79501762323849225044e+09);
CREATE TABLE participant (
	id INTEGER NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	external_id VARCHAR(100), 
	phase VARCHAR(16) NOT NULL, 
	outcome VARCHAR(16), 
	last_number INTEGER NOT NULL, 
	n_main INTEGER NOT NULL, 
	n_practice INTEGER NOT NULL, 
	n_failed_catches INTEGER NOT NULL, 
	undoable INTEGER NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	excluded_for TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	finished_at FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (source, external_id), 
	UNIQUE (token_hash)
);
INSERT INTO "participant" VALUES(1,'46c5b037fc21307fe52017ab9bf5a694331df45ee786fa425baa8d81c68d346e','id','one','questions',NULL,4,3,0,0,3,0,'',1.79497442329651331902e+09,NULL);
INSERT INTO "participant" VALUES(2,'4cdc52efe0c80b718a73f12806f8b8501470acdc52053991ce01874bfff659b8','id','two','questions',NULL,5,2,0,0,4,0,'',1.79497442334061050412e+09,NULL);
INSERT INTO "participant" VALUES(3,'88489eb2fdb2cc202d487b51222d3701462c01756b9ddfe7f1ab486f5fd94968','link',NULL,'done','completed',8,8,0,0,8,1,'guesses',1.79497442337158966065e+09,1.79497442339697575565e+09);
INSERT INTO "participant" VALUES(4,'848455586229e3b7640a6ee3e45613d871098806a494a29b178b23d2c9cd37da','id',NULL,'done','withdrawn',3,0,0,0,0,0,'',1.79497442339938759799e+09,1.79497442341127729416e+09);
CREATE TABLE question (
	id INTEGER NOT NULL, 
	draw_id INTEGER NOT NULL, 
	objects VARCHAR(200) NOT NULL, 
	reason VARCHAR(200) NOT NULL, 
	n_wanted INTEGER NOT NULL, 
	n_served INTEGER NOT NULL, 
	leased_by VARCHAR(32), 
	leased_at FLOAT, 
	PRIMARY KEY (id), 
	CONSTRAINT not_over_served CHECK (n_served >= 0 AND n_served <= n_wanted), 
	FOREIGN KEY(draw_id) REFERENCES draw (id)
);
INSERT INTO "question" VALUES(1,1,'0,3,5','few answers yet: at random',2,2,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(2,1,'3,1,0','few answers yet: at random',2,2,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(3,1,'1,4,2','few answers yet: at random',2,1,NULL,1.79497442321295690541e+09);
INSERT INTO "question" VALUES(4,1,'0,4,5','few answers yet: at random',2,2,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(5,1,'0,4,1','few answers yet: at random',2,1,NULL,1.79497442321295690541e+09);
INSERT INTO "question" VALUES(6,1,'0,3,2','few answers yet: at random',2,1,NULL,1.79497442321295690541e+09);
INSERT INTO "question" VALUES(7,1,'0,5,4','few answers yet: at random',2,1,NULL,1.79497442321295690541e+09);
INSERT INTO "question" VALUES(8,1,'5,4,3','few answers yet: at random',2,1,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(9,1,'0,4,3','few answers yet: at random',2,1,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(10,1,'4,5,0','few answers yet: at random',2,1,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(11,1,'0,5,1','few answers yet: at random',2,1,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(12,1,'4,5,3','few answers yet: at random',2,1,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(13,1,'4,3,2','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(14,1,'3,5,0','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(15,1,'2,4,0','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(16,1,'5,3,1','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(17,1,'5,1,2','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(18,1,'3,5,1','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(19,1,'2,5,0','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(20,1,'1,3,5','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(21,1,'0,3,5','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(22,1,'1,5,0','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(23,1,'3,4,5','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
INSERT INTO "question" VALUES(24,1,'3,2,1','few answers yet: at random',2,0,'8e16682ece7ddbd8',1.79497442321295690541e+09);
CREATE TABLE serving (
	participant_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	question_id INTEGER, 
	role VARCHAR(8) NOT NULL, 
	shown VARCHAR(200) NOT NULL, 
	status VARCHAR(8) NOT NULL, 
	served_at FLOAT NOT NULL, 
	PRIMARY KEY (participant_id, number), 
	FOREIGN KEY(participant_id) REFERENCES participant (id), 
	FOREIGN KEY(question_id) REFERENCES question (id)
);
INSERT INTO "serving" VALUES(1,1,1,'main','0,3,5','answered',1.79497442330733489985e+09);
INSERT INTO "serving" VALUES(1,2,2,'main','3,1,0','answered',1.79497442331561708446e+09);
INSERT INTO "serving" VALUES(1,3,3,'main','1,4,2','answered',1.79497442332444620137e+09);
INSERT INTO "serving" VALUES(1,4,4,'main','0,5,4','open',1.79497442333235621451e+09);
INSERT INTO "serving" VALUES(2,1,1,'main','0,5,3','answered',1.7949744233443975449e+09);
INSERT INTO "serving" VALUES(2,2,2,'main','3,1,0','answered',1.79497442334705448151e+09);
INSERT INTO "serving" VALUES(2,3,3,'main','1,2,4','returned',1.79497442334942483902e+09);
INSERT INTO "serving" VALUES(2,4,2,'main','3,1,0','answered',1.79497442335209965707e+09);
INSERT INTO "serving" VALUES(2,5,4,'main','0,5,4','open',1.79497442336038637161e+09);
INSERT INTO "serving" VALUES(3,1,5,'main','0,4,1','answered',1.79497442337582397463e+09);
INSERT INTO "serving" VALUES(3,2,6,'main','0,2,3','answered',1.79497442338009381289e+09);
INSERT INTO "serving" VALUES(3,3,7,'main','0,4,5','answered',1.79497442338302826882e+09);
INSERT INTO "serving" VALUES(3,4,8,'main','5,4,3','answered',1.79497442338528919217e+09);
INSERT INTO "serving" VALUES(3,5,9,'main','0,4,3','answered',1.79497442338770651819e+09);
INSERT INTO "serving" VALUES(3,6,10,'main','4,5,0','answered',1.7949744233901627064e+09);
INSERT INTO "serving" VALUES(3,7,11,'main','0,5,1','answered',1.79497442339244294168e+09);
INSERT INTO "serving" VALUES(3,8,12,'main','4,3,5','answered',1.79497442339482784273e+09);
CREATE TABLE stimulus (
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "stimulus" VALUES(0,'thing 0','text','7ddb44cdf80b71856313dd75a4517254aebb9230ec612334b90221c091d1b7ee');
INSERT INTO "stimulus" VALUES(1,'thing 1','text','ecdf0096d9322a8db32a8babaf363a2053e5dd4bece4b25a0bd037adb3c21d22');
INSERT INTO "stimulus" VALUES(2,'thing 2','text','b3ad719aa2efd63b7bda66e486c88c23021b7efdee1b206240f9b4000473be9d');
INSERT INTO "stimulus" VALUES(3,'thing 3','text','7bcfcb046c1004fc4330888ab059321038587a4c7e2e3da26e6bad33fa3640fd');
INSERT INTO "stimulus" VALUES(4,'thing 4','text','b6850eb7e012d075d9ebc8aca987532b645601c03ffbc7743d812684958ba719');
INSERT INTO "stimulus" VALUES(5,'thing 5','text','1ebeb1b39e145f2e6aee52e4852d168eca349a182c1c684f26d52c046dadd5d4');
CREATE TABLE study (
	id INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "study" VALUES(1,'{"name": "Comparisons", "question": "triplet", "sampler": "adaptive", "random_share": 0.2, "people_per_question": 2, "questions_per_person": 8, "practice": 0, "break_every": 0, "catch_share": 0.0, "repeat_share": 0.0, "max_failed_catches": null, "min_seconds": 0.4, "abandon_after": 300.0, "cant_tell": true, "undo": true, "method": "tSTE-AL", "budget": null, "stable_trees": null, "pay_per_person": 0.0, "currency": "EUR", "completion_codes": {}, "completion_url": "", "seed": 0, "texts": {}}','a3648df7b98e7b44eed223c0d49d4093f74c5cb5ff0d96d8a33f7396d7bcecda','open',3,1.79497442316390395161e+09);
CREATE INDEX ix_event_participant ON event (participant_id);
CREATE INDEX ix_question_draw ON question (draw_id);
CREATE INDEX ix_question_waiting ON question (id) WHERE n_served < n_wanted;
CREATE UNIQUE INDEX ix_serving_open ON serving (participant_id) WHERE status = 'open';
COMMIT;
