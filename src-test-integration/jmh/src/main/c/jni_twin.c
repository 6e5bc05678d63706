/* The same calls through JNI in the manner of DiSNI: addresses as long, the work requests laid out in native memory. */
#include <infiniband/verbs.h>
#include <jni.h>
#include <stdint.h>

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_postSend(JNIEnv *env, jclass type, jlong qp, jlong wr)
{
	struct ibv_send_wr *bad;

	(void)env;
	(void)type;
	return ibv_post_send((struct ibv_qp *)(intptr_t)qp, (struct ibv_send_wr *)(intptr_t)wr, &bad);
}

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_postReceive(JNIEnv *env, jclass type, jlong qp, jlong wr)
{
	struct ibv_recv_wr *bad;

	(void)env;
	(void)type;
	return ibv_post_recv((struct ibv_qp *)(intptr_t)qp, (struct ibv_recv_wr *)(intptr_t)wr, &bad);
}

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_poll(JNIEnv *env, jclass type, jlong cq, jint count, jlong wc)
{
	(void)env;
	(void)type;
	return ibv_poll_cq((struct ibv_cq *)(intptr_t)cq, count, (struct ibv_wc *)(intptr_t)wc);
}

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_requestNotification(JNIEnv *env, jclass type, jlong cq)
{
	(void)env;
	(void)type;
	return ibv_req_notify_cq((struct ibv_cq *)(intptr_t)cq, 0);
}
