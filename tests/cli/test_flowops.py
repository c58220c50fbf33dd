"""What each flowop of a workload file does and counts, from the file to the bytes on disk: specs 10 to
13. Every workload ends by itself, after a number of operations."""
import json
import unittest

import util

ONE_FILE = "define file name=big,path=$dir,size=64k,prealloc\n"
FILES = "define fileset name=data,path=$dir,entries=20,dirwidth=5,size=8k,prealloc\n"


def threads(*bodies, instances=1):
    return "define process name=p {\n" + "".join(
        f"thread name=t{i},instances={instances} {{\n{body}\n}}\n" for i, body in enumerate(bodies)) + "}\n"


class Flowops(util.Case):
    def measured(self, workload, status=0):
        """Returns how often each flowop was done and how many bytes it moved, {name: (n, bytes)}, and
        what was said."""
        path = self.room / "case.f"
        path.write_text(workload + "run 30\n")
        done = util.run("run", path, self.target, "--db", self.db, "--format", "json")
        self.assertEqual(done.returncode, status, f"{workload}\n{done.stdout}\n{done.stderr}")
        result = json.loads(done.stdout)[0]
        if status == 0:
            self.assertEqual(result["errors"], [], workload)
        return {line["name"]: (line["derived"]["samples"], line["bytes"])
                for line in result["lines"]}, done.stderr

    def ops(self, workload, status=0):
        lines, _ = self.measured(workload, status)
        return {name: n for name, (n, _) in lines.items()}

    # ---- what counts ----

    def test_an_implicit_open_is_one_op_more(self):
        lines, _ = self.measured(ONE_FILE + threads("""
            flowop read name=r,filename=big,iosize=4k
            flowop finishoncount name=f,value=100,target=r"""))
        self.assertEqual(lines["r"][0], 100)
        # 16 reads, and one of nothing at the end, again and again: 99 of them.
        self.assertEqual(lines["r"][1], (99 - 99 // 17) * 4096)
        self.assertEqual(lines["f"][0], 98)  # the check comes before its own count

    def test_finishoncount_counts_every_flowop_of_the_process(self):
        lines, _ = self.measured("define file name=log,path=$dir,size=0,prealloc\n" + threads("""
            flowop appendfile name=a,filename=log,iosize=4k
            flowop finishoncount name=f,value=100"""))
        self.assertEqual(lines["a"], (51, 50 * 4096))

    def test_finishonbytes_ends_above_its_value(self):
        lines, _ = self.measured(ONE_FILE + threads("""
            flowop write name=w,filename=big,iosize=4k,random
            flowop finishonbytes name=f,value=40k,target=w"""))
        self.assertEqual(lines["w"][1], 44 * 1024)

    def test_threads_of_a_process_share_its_count(self):
        ops = self.ops(FILES + threads("""
            flowop statfile name=s,filename=data
            flowop finishoncount name=f,value=1000""", instances=4))
        self.assertTrue(1000 <= ops["s"] + ops["f"] <= 1010, ops)

    def test_flowops_of_one_name_and_type_are_one_line(self):
        ops = self.ops(FILES + threads(*["""
            flowop statfile name=s,filename=data
            flowop finishoncount name=f,value=10,target=s"""] * 2))
        self.assertEqual(ops["s"], 20)

    def test_composites_repeat_and_have_dotted_names(self):
        ops = self.ops(FILES + """
            define flowop name=in,$n=1 { flowop statfile name=s,filename=data,iters=$n }
            define flowop name=out { flowop in name=i,$n=3,iters=2 }
            """ + threads("""
            flowop out name=o,iters=5
            flowop finishoncount name=f,value=1,target=o"""))
        self.assertEqual(ops["o.i.s"], 30)
        self.assertEqual(ops["o"], 0)

    # ---- whole files, appends ----

    def test_a_whole_file_is_one_sample_and_exact(self):
        lines, _ = self.measured("""
            define fileset name=data,path=$dir,entries=4,dirwidth=4,size=2560k
            """ + threads("""
            flowop createfile name=c,filename=data,fd=1
            flowop writewholefile name=w,fd=1,iosize=1m
            flowop readwholefile name=r,fd=1,iosize=1m
            flowop closefile name=x,fd=1
            flowop finishoncount name=f,value=4,target=x"""))
        self.assertEqual(lines["w"], (4, 4 * 2560 * 1024))
        self.assertEqual(lines["r"], (4, 4 * 2560 * 1024))

    def test_a_copy_has_the_size_of_its_source(self):
        lines, _ = self.measured("""
            define fileset name=from,path=$dir,entries=5,dirwidth=5,size=12k,prealloc
            define fileset name=to,path=$dir,entries=5,dirwidth=5,size=100k
            """ + threads("""
            flowop openfile name=o,filename=from,fd=1
            flowop createfile name=c,filename=to,fd=2
            flowop writewholefile name=w,fd=2,srcfd=1,iosize=8k
            flowop closefile name=x,fd=1
            flowop closefile name=y,fd=2
            flowop finishoncount name=f,value=5,target=w"""))
        self.assertEqual(lines["w"], (5, 5 * 12 * 1024))

    def test_an_empty_file_is_read_in_one_op_of_nothing(self):
        lines, _ = self.measured("""
            define fileset name=empty,path=$dir,entries=3,dirwidth=5,size=0,prealloc
            """ + threads("""
            flowop openfile name=o,filename=empty,fd=1
            flowop readwholefile name=w,fd=1,iosize=4k
            flowop read name=r,fd=1,iosize=4k
            flowop closefile name=x,fd=1
            flowop finishoncount name=f,value=10,target=w"""))
        self.assertEqual(lines["w"], (10, 0))
        self.assertEqual(lines["r"], (10, 0))

    def test_appends_of_any_size_stay_below_it(self):
        lines, _ = self.measured("define file name=log,path=$dir,size=0,prealloc\n" + threads("""
            flowop appendfilerand name=a,filename=log,iosize=4k
            flowop finishoncount name=f,value=1001,target=a"""))
        n, size = lines["a"]
        self.assertEqual(n, 1001)
        self.assertTrue(1000 * 1900 < size < 1000 * 2200, lines)

    # ---- which file ----

    def test_more_threads_than_files_wait_for_their_turn(self):
        ops = self.ops(ONE_FILE + threads("""
            flowop openfile name=o,filename=big,fd=1
            flowop closefile name=c,fd=1
            flowop finishoncount name=f,value=50,target=c""", instances=32))
        self.assertEqual(ops["o"], 32 * 50)
        self.assertEqual(ops["c"], 32 * 50)

    def test_an_open_file_is_not_deleted_by_others(self):
        ops = self.ops(ONE_FILE + threads("""
            flowop openfile name=o,filename=big,fd=1
            flowop deletefile name=other,filename=big
            flowop closefile name=c,fd=1
            flowop finishoncount name=f,value=5,target=c"""))
        self.assertEqual(ops["other"], 0)

    def test_deleting_one_and_creating_one_goes_on_for_ever(self):
        """What was wrong: deletions that came to an open file were left out, so creating ran out."""
        ops = self.ops(FILES.replace("prealloc", "prealloc=80") + threads("""
            flowop deletefile name=d,filename=data
            flowop createfile name=c,filename=data,fd=1
            flowop closefile name=x,fd=1
            flowop openfile name=o,filename=data,fd=1
            flowop closefile name=x,fd=1
            flowop finishoncount name=f,value=3000,target=c""", instances=4))
        self.assertEqual(ops["d"], 12000)
        self.assertEqual(ops["c"], 12000)

    def test_a_file_may_be_deleted_by_who_has_it_open(self):
        ops = self.ops(FILES + threads("""
            flowop openfile name=o,filename=data,fd=1
            flowop deletefile name=d,filename=data,fd=1
            flowop closefile name=c,fd=1
            flowop createfile name=again,filename=data,fd=1
            flowop closefile name=c,fd=1
            flowop finishoncount name=f,value=40,target=d"""))
        self.assertEqual(ops["d"], 40)

    def test_fsyncset_syncs_each_open_file_of_the_set(self):
        ops = self.ops(ONE_FILE + FILES + threads("""
            flowop openfile name=a,filename=data,fd=1
            flowop openfile name=b,filename=data,fd=2
            flowop openfile name=c,filename=big,fd=3
            flowop fsyncset name=s,filename=data
            flowop closefile name=x,fd=1
            flowop closefile name=x,fd=2
            flowop closefile name=x,fd=3
            flowop finishoncount name=f,value=10,target=a"""))
        self.assertEqual(ops["s"], 20)

    def test_opennext_has_as_many_files_open_as_there_are_turns(self):
        ops = self.ops(FILES + threads("""
            flowop read name=r,filename=data,iosize=4k,opennext,random
            flowop finishoncount name=f,value=500,target=r"""))
        self.assertEqual(ops["r"], 500)  # 128 opens among them

    # ---- directories ----

    def test_each_leaf_directory_is_made_and_removed_once(self):
        leafs = "define fileset name=tree,path=$dir,leafdirs=100,dirwidth=10{}\n"
        mode = "set mode quit alldone\n"
        made = mode + leafs.format("") + threads("flowop makedir name=m,filename=tree", instances=4)
        self.assertEqual(self.ops(made)["m"], 100)
        removed = mode + leafs.format(",prealloc") + threads("flowop removedir name=r,filename=tree")
        self.assertEqual(self.ops(removed)["r"], 100)

    def test_listing_counts_directories(self):
        ops = self.ops(FILES + threads("""
            flowop listdir name=l,filename=data
            flowop finishoncount name=f,value=30,target=l"""))
        self.assertEqual(ops["l"], 30)

    # ---- between threads ----

    def test_posts_run_ahead_by_the_credit_at_most(self):
        ops = self.ops("set mode quit firstdone\n" + """
            define fileset name=data,path=$dir,entries=50,dirwidth=50,size=0
            """ + threads("""
            flowop createfile name=c,filename=data,fd=1
            flowop closefile name=x,fd=1
            flowop semblock name=wait,value=1,highwater=1
            flowop finishoncount name=f,value=20,target=c""", """
            flowop sempost name=post,value=1,target=wait,blocking"""))
        self.assertEqual(ops["c"], 20)
        self.assertTrue(19 <= ops["post"] <= 22, ops)

    def test_a_wakeup_counts_those_it_wakes(self):
        ops = self.ops(FILES + threads("""
            flowop block name=b
            flowop finishoncount name=f,value=10,target=b""", """
            flowop statfile name=s,filename=data
            flowop wakeup name=w,target=b
            flowop finishoncount name=g,value=10,target=w"""))
        self.assertEqual(ops["b"], 10)
        self.assertEqual(ops["w"], 10)

    def test_detached_writes_are_counted_when_handed_over_and_when_done(self):
        lines, _ = self.measured(ONE_FILE + threads("""
            flowop aiowrite name=a,filename=big,iosize=4k,random,iters=10
            flowop aiowait name=w
            flowop finishoncount name=f,value=10,target=w"""))
        self.assertEqual(lines["a"], (101, 100 * 4096))
        self.assertEqual(lines["a.done"][0], 100)

    # ---- how it ends ----

    def test_a_set_that_runs_out_ends_a_run_as_its_mode_says(self):
        body = """
            flowop createfile name=c,filename=new,fd=1
            flowop closefile name=x,fd=1"""
        sets = "define fileset name=new,path=$dir,entries=25,dirwidth=5,size=1k\n"
        for mode, status in (("timeout", 3), ("firstdone", 0), ("alldone", 0)):
            with self.subTest(mode):
                ops = self.ops(f"set mode quit {mode}\n" + sets + threads(body), status)
                self.assertEqual(ops["c"], 25)
                self.assertEqual(ops["x"], 25)

    def test_opening_twice_ends_the_run_and_is_said(self):
        _, said = self.measured(FILES + threads("flowop openfile name=o,filename=data,fd=7"), 3)
        self.assertIn("flowop o attempted to open without closing on fd 7", said)
        self.assertIn("warning: openfile o: nothing in this thread closes fd 7", said)

    def test_slots_of_another_set_end_the_run(self):
        _, said = self.measured(ONE_FILE + FILES + threads("""
            flowop read name=a,filename=big,iosize=4k,fd=1
            flowop read name=b,filename=data,iosize=4k,fd=1"""), 3)
        self.assertIn("big", said)

    def test_what_print_says_comes_once(self):
        _, said = self.measured(FILES + threads("""
            flowop print name=p,value="good morning"
            flowop statfile name=s,filename=data
            flowop finishoncount name=f,value=10,target=s"""))
        self.assertEqual(said.count("Message from thread t0: good morning"), 1)


if __name__ == "__main__":
    unittest.main()
