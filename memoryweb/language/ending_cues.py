"""Words that tell that something changed, and words of what only looks like a change; in the form
of `ending.txt`."""

CUES = """
now = seit_der_heirat seit_der_hochzeit now nowadays these_days from_now_on as_of finally
 officially instead switched changed anymore any_more no_longer going_forward onwards currently
 turned_into turned became renamed gone_over switched_over cant_do cant_make doesnt_work
 geht_nicht_mehr erst_am doch_erst geändert abgelöst jetzt nun mittlerweile inzwischen endlich
 stattdessen statt nur_noch nimmer ab_sofort ab_heute ab_morgen offiziell künftig umgestellt
 gewechselt umgestiegen neuerdings 今は いまは 今日から 明日から 今月 来月から 来週から 今週から
 今年から 昨日から 変わ 変え 替え 乗り換え やっと ついに になりました になった ようになっ
 ことになっ これから 正式に 移行 現在 现在 从今 改成 换成 换了 made_the_switch converted_to
 gone_back_to back_to_using rüber_zu に切り替え にした にしました 切り替え
new = new neu neue neuen neuer neues 新しい 新しく 新 新的
got = bought got picked_up upgraded_to treated_myself gekauft geholt zugelegt gegönnt 買った
 買いました 機種変 購入 买了 signed_for signed_the completed_on exchanged_on unterschrieben
end = lasted instead_of ist_durch is_durch bin+raus ich_raus ist_weg sind_weg has_gone abgegeben
 in_the_bin sich_erledigt 閉め 譲 no_longer not+anymore dont+anymore isnt+anymore not+any_more
 gave+up given+up giving+up quit stopped dropped ditched deleted uninstalled cancelled canceled
 done_with finished_with through_with got_rid get_rid packed+in jacked+in never_again sold binned
 threw+out handed+back no_more not_looking_back wont_go_back pulled_out stepped_down cut+out
 took_me_off history is_over so_thats_over all_over is_out are_out adios goodbye farewell nicked
 ghosted flew_off last_time swapped+for replaced+by replaced+with packing+up stepped_back
 taken_off came_off went_off weaned closed shut_down stolen died_on broke_down for_good bye
 kein*+mehr nicht+mehr nix+mehr nie_wieder aufgehört aufgegeben gekündigt kündig* verkauft
 hingeschmissen geschmissen abgebrochen abgesetzt abgeschafft abgemeldet weggelassen losgeworden
 gelöscht rausgeschmissen schluss_mit statt hinter_mir an_den_nagel knicken geschichte rum
 tschüss ade adieu hergegeben sein_lassen raus_aus letzten_mal niedergelegt aufgelöst ausgelaufen
 brauch+nicht_mehr begraben ausgetreten ausgestiegen weggegeben hinüber kaputtgegangen geklaut
 vorbei gibts_nicht やめた やめました やめて 辞め 卒業 解約 撤去 手放 売った 売りました 売っちゃ
 処分 退会 使わなく 食べなく 終了 終わりました 終わり 盗まれ 引き継 を出て 売って 閉じ 最後の
 に変わった に変わりました 飲まなく 行かなく しなくなっ やめることに 戒掉 卖了 不再 戒了 kicked
 abgewöhnt entwöhnt kicked_the_habit passed_the passed_on_the shut_its handed_over 解消 売却 閉店
 weaned_off stopped_taking totalled totaled written_off written+off gave+away gave+back
 returned_it lost_interest verschrottet totalschaden ausgeschlichen verschenkt zurückgegeben
 in_zahlung stillgelegt verzichte 返却 返納 全損 譲っ あげちゃ 捨て 休会 脱退 抜け hör*+auf
 vertickt 最後でした grand_for quid_for euros_for bar_auf_die_hand dumped no_go vom_tisch
off = gecancelt なしにな not_on_anymore cancelled canceled called_off called+off is_off are_off
 not_happening fell_through been_pulled been_axed no+this_year fallen_through not_going_ahead
 off_the_table isnt_happening wont_happen pulled_out abgesagt abgeblasen blas*+ab sag*+ab
 storniert fällt+aus fällt+flach fällt+ins_wasser ausgefallen geplatzt gestrichen
 findet+nicht_statt wird_nix wird_nichts knicken kein*+dieses_jahr 流れました 流れて キャンセル
 中止 取りやめ 取り消 なくなった なくなりました 流れた 取消 不去了 gestorben 白紙 wedding_off
 called+wedding+off bailed rain_check had_to_cancel not_going_after_all doch_nicht klappt_nicht
 klappt+nicht 行けなくな 見送り ボツ 中止に had_to_bin 諦めました no_go vom_tisch
moved = 移し 移った 移りました hochdosiert aufdosiert neu_eingestellt put_me_on stuck_me moved_me
 moved postponed put_back brought_forward pushed rescheduled bumped raised gone_up went_up
 extended delayed up_to down_to cut_to dropped_to upped doubled lowered increased reduced goes_up
 shifted verschoben verlegt vorverlegt vorgezogen erhöht gestiegen steigt hochgesetzt
 runtergesetzt verlängert runter_auf rauf_auf hoch_auf aufgestockt reduziert gesenkt statt
 umgelegt nach_hinten 延びた 延び 延期 変更 ずれ 値上げ 値下げ 増え 減っ 減り 減らし 上がっ 上がり
 下がっ 下がり 落ち だけにし 改到 推迟 涨到 verschieb* gesunken sinkt gefallen ずらし 延長
 shifted_to gestrafft earlier_now later_now halbiert verdoppelt angehoben umgestellt 前倒し 移動し
 減額 増額 半分に umgezogen
died = buried hit_by 冷たくな died passed_away put_down put+to_sleep say_goodbye said_goodbye
 rainbow_bridge had_to_let+go rehome* gone fox_got run_over gestorben verstorben eingeschläfert
 einschläfern regenbogenbrücke erlöst tot überfahren verabschieden abgegeben begraben beerdigt
 flew_off gnadenhof 亡くな 引き取られ 月に帰 天国 虹の橋 旅立 息を引き取 看取 死ん 死んじゃ 去世
 走了 里親に slipped_away belly_up eingeschlafen entflogen weggelaufen ran_away crossed_over
 浮いて 浮いてま 逃げ 冷たく 眠りにつ von_uns_gegangen nicht_mehr_da vermittelt lost_our お別れ
 里子に lost 逝き 逝って make_it_through nicht+überlebt nicht_überlebt 乗り越えられ
gone = moved_out ausgezogen erledigt aus_und_vorbei hung_up left leaves leaving retired retires
 replaced off_to moved_on moved_away let+go resigned closed shut transferred rente aufgehört
 hört+auf gegangen verlässt verlassen wechselt weg packing packs gives_up handing zugemacht
 geschlossen gekündigt ruhestand 異動 引退 退職 辞め 閉店 閉院 転勤 帰国 退休 调走 poached
 headhunted shut_its moved_abroad on_maternity quits weggezogen in_elternzeit 産休 転校 退任
 hör*+auf ausgewandert 出ていっ 出て行っ 出ていき 引っ越して gone_to
done = done finished completed complete arrived came_through come_through delivered fixed repaired
 sorted passed approved ready installed paid_off paid+back cleared submitted handed_in in_now
 debt_free certificate zertifikat result results went_in granted went_through fertig erledigt
 geliefert repariert bestanden genehmigt schuldenfrei eingeweiht angekommen abbezahlt abgezahlt
 eingebaut geschafft abgegeben ist_da sind_da bewilligt 完成 完了 届い 届きました 終わっ
 終わりました 直っ 合格 受かっ 受かり 完済 提出し 取れた 下りました 通りました thawed discharged
 all_done bezugsfertig ausgeheilt fertiggestellt verputzt qualified beaten überstanden
 abgeschlossen beendet gelöst 退院 修了 解決 手術が終わ

more = other another_one andere anderer anderen もう一人 also as_well too another second third
 extra additional additionally on_top besides alongside plus still both side_gig on_the_side
 for_now temporarily temporary courtesy borrow* covering auch zusätzlich außerdem zweite zweiter
 zweiten zweites dazu ebenfalls beide beides nebenbei noch_ein* noch_nen immer_noch nach_wie_vor
 vorübergehend vorerst weiterhin parallel caught gefangen 捕まえ looking_after looking+after
 passen+auf 預か leihwagen solange ausgeliehen vertretung 二人目 2人目 二匹目 2匹目 二台目 2台目
 追加 両方 他にも 相変わらず まだ 一時的 とりあえず 副業 もう一 もう1 还有 另外 第二 代車 代車を
unsure = if whether would wouldnt could might maybe perhaps probably wish dream* someday one_day
 want wants wanna hope hoping thinking_of thinking_about considering tempted planning_to plan_to
 going_to wonder* imagine almost nearly should unless applied interview viewing feels_like
 trying_to trying_out wenn falls vielleicht würd* hätt* wär* könnt* sollte soll sollten möcht*
 überleg* träum* irgendwann fast beinah* eventuell hoff* wünsch* beworben vorstellungsgespräch
 besichtigung wohnungsbesichtigung such suche am_liebsten probier* いつか もし かも したい
 行きたい 住みたい 飼いたい 欲しい ほしい なりたい 買いたい やりたい 検討 迷って 迷う 考え中 悩 夢
 どうしよう つもり たら のになあ 将来 面接 如果 也许 想要 打算 希望
past = used_to back_then when_i_was in_the_old_days as_a_kid as_a_child at_school years_ago
 remember_when before_uni früher damals als_kind als_ich einst ehemalig* vor_jahren 昔 の頃 頃は
 以前は 前は 当時 時代 以前 小时候
visit = visiting visit for_a_week for_a_few for_the_week* for_two till_sunday holiday vacation
 trip flight_back staying balcony hotel airbnb übers_wochenende besuch* für_ein_paar
 für_eine_woche eine_woche urlaub* dienstreise ferienwohnung 出張 旅行 遊びに 滞在 泊ま 観光 帰省
 旅游 出差
once = today tonight this_time just_this heute heut diesmal ausnahmsweise 今日は 今日 今回
 久しぶり 今天
told = keeps_telling people_say they_say rumour* rumor* heard gehört angeblich behauptet erzählt
 んだって だってさ らしい みたい 言いふらし 听说 tells
joke = yeah_right oh_sure as_if jk just_kidding kidding flawless_plan schön_wär* na_super na_toll
 ja_klar klar_morgen scherz はいはい なんちゃって 冗談 ますよっと 开玩笑 astronaut astronaut*
 宇宙飛行士 (笑) obviously
fix = i_meant i_mean wait_no no_wait scratch_that correction typo my_bad misread mixed_up
 got_that_wrong sorry oops nope mein_ich meine_ich meinte meine_natürlich quatsch vertan
 verschrieben vertippt korrektur falsch+gesagt verguckt 間違え 間違い じゃなくて ではなく 訂正
 勘違い ごめん すみません 说错 搞错 不对
kin = freunde freunden sister* brother* mother* mum mom dad father* parents son sons daughter*
 aunt uncle cousin* in_laws friend friends colleague* coworker* neighbour* neighbor* flatmate*
 roommate* nan gran granny grandma grandpa niece nephew ex inlaws mate mates bestie next_door
 next_doors kids kid brother_in_law sister_in_law schwager schwägerin schwester* bruder* mutter
 mama vater papa eltern sohn tochter tante onkel kumpel kolleg* nachbar* mitbewohner* oma opa
 nichte neffe schwiegereltern bekannte* 姉 兄 妹 弟 母 父 両親 友達 友人 同僚 同期 先輩 後輩
 いとこ 叔母 叔父 隣の 息子 娘 朋友 同事 姐姐 哥哥
friend = friend friends colleague* coworker* classmate* neighbour* neighbor* kumpel kolleg*
 beste_freundin bester_freund besten_freund 同期 友達 友人 同僚 先輩 朋友 同事
open = draft entwurf spar_auf spare_auf writing working_on building schreib schreibe baue bauen
 書いて 作って debt debts loan schulden kredit baustelle leaks leaking yet still waiting
 unfinished missing half_done halfway owe owes to_go to_run saving_for noch warte* fehlt fehlen
 offen まだ 待ち 途中 審査 返済 奨学金 ローン 中で 中です 中だ rohbau plastering apprenticeship
 halfway_through
"""
